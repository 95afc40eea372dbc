package dev.ouroboros.steward.decide;

import static dev.ouroboros.steward.decide.EtcdScaleScene.LIMIT;
import static dev.ouroboros.steward.decide.EtcdScaleScene.TOLD;
import static dev.ouroboros.steward.decide.EtcdScaleScene.silent;
import static dev.ouroboros.steward.decide.EtcdScaleScene.url;
import static dev.ouroboros.steward.decide.EtcdScaleScene.voter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.steward.decide.EtcdScale.Member;
import dev.ouroboros.steward.decide.EtcdScale.Seen;
import dev.ouroboros.steward.decide.EtcdScale.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Wishes that change, and members that are lost, in a model of a cluster that does what {@link EtcdScale} decides. */
final class EtcdScaleModelTest {
    /** Steps are carried out, some of them in part, wishes change and members are lost at random, API servers are exchanged late, and in the end it is as was wished last. */
    @Test
    void aWishThatChangesIsObeyedInEveryState() {
        for (int seed = 0; seed < 300; seed++) {
            new World(new Random(seed)).run(seed);
        }
    }

    /** A cluster of five nodes. */
    private static final class World {
        private static final List<String> NODES = List.of("a", "b", "c", "d", "e");
        private static final int[] SIZES = {1, 3, 5};

        private final Random random;
        private final TreeSet<String> voting;
        private Optional<String> learner = Optional.empty();
        private Optional<String> adding = Optional.empty();
        private List<String> template;
        private List<String> running;
        private Optional<String> lost = Optional.empty();
        private int size = 1;

        World(Random random) {
            this.random = random;
            this.voting = new TreeSet<>(Set.of(NODES.get(random.nextInt(NODES.size()))));
            this.template = voting.stream().map(EtcdScaleScene::url).toList();
            this.running = template;
        }

        void run(int seed) {
            for (int turn = 0; turn < 160; turn++) {
                if (turn < 60 && random.nextInt(4) == 0) {
                    size = SIZES[random.nextInt(SIZES.length)];
                }
                if (turn < 60 && voting.size() > 2 && lost.isEmpty() && random.nextInt(8) == 0) {
                    lose(List.copyOf(voting).get(random.nextInt(voting.size())));
                }
                // An API server that reaches no etcd is never ready, and the one before it stays.
                if (random.nextInt(3) == 0 && reachesEtcd(template)) {
                    running = template;
                }
                act();
                assertThat(reachesEtcd(running))
                        .as("seed %d, turn %d: API servers know a member", seed, turn)
                        .isTrue();
            }
            assertThat(voting).as("seed %d", seed).hasSize(size);
            assertThat(learner).isEmpty();
            assertThat(running)
                    .containsExactlyInAnyOrderElementsOf(
                            voting.stream().map(EtcdScaleScene::url).toList());
        }

        /** With the last one that API servers know, they would be lost, too: nobody could do anything. */
        private void lose(String name) {
            lost = Optional.of(name);
            if (!reachesEtcd(running)) {
                lost = Optional.empty();
            }
        }

        private boolean reachesEtcd(List<String> urls) {
            return voting.stream()
                    .filter(name -> !lost.equals(Optional.of(name)))
                    .map(EtcdScaleScene::url)
                    .anyMatch(urls::contains);
        }

        private List<Member> members() {
            List<Member> members = new ArrayList<>();
            voting.forEach(name -> members.add(lost.equals(Optional.of(name)) ? silent(name, LIMIT) : voter(name)));
            learner.ifPresent(name -> members.add(EtcdScaleScene.learner(name, Optional.of(Duration.ZERO))));
            return members;
        }

        private void act() {
            Step step = EtcdScale.next(new Seen(
                    size,
                    members(),
                    Set.copyOf(NODES),
                    template,
                    running.equals(template),
                    adding,
                    Optional.of(LIMIT),
                    false,
                    TOLD));
            switch (step) {
                case Step.Settled(), Step.AwaitApiServers() -> {}
                case Step.Add(String node) -> add(node);
                case Step.TellApiServers(List<String> without) ->
                    template = voting.stream()
                            .filter(name -> !without.contains("id-" + name))
                            .map(EtcdScaleScene::url)
                            .toList();
                case Step.Leave(String node) -> {
                    assertThat(running).doesNotContain(url(node));
                    assertThat(voting.remove(node)).isTrue();
                    assertThat(voting).isNotEmpty();
                }
                case Step.Remove(String member, Optional<String> replacement) -> {
                    assertThat(lost.map(name -> "id-" + name)).contains(member);
                    voting.remove(lost.orElseThrow());
                    // The replacement was decided on.
                    adding = replacement.or(() -> adding);
                    lost = Optional.empty();
                }
                case Step.Await await -> throw new AssertionError(await);
                case Step.Change change -> throw new AssertionError(change);
                case Step.Defragment defragment -> throw new AssertionError(defragment);
                case Step.Stalled stalled -> throw new AssertionError(stalled);
            }
        }

        /** First as a learner; who has one gets no other. */
        private void add(String node) {
            assertThat(voting).doesNotContain(node);
            adding = Optional.of(node);
            if (learner.isEmpty()) {
                learner = adding;
            } else {
                assertThat(learner).contains(node);
                voting.add(node);
                learner = Optional.empty();
            }
        }
    }
}
