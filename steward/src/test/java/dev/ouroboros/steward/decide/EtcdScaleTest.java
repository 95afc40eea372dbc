package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.steward.decide.EtcdScale.Member;
import dev.ouroboros.steward.decide.EtcdScale.Seen;
import dev.ouroboros.steward.decide.EtcdScale.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class EtcdScaleTest {
    private static final Set<String> THREE = Set.of("a", "b", "c");

    private static String url(String name) {
        return "https://" + name + ":2379";
    }

    private static Member voter(String name) {
        return new Member("id-" + name, name, Optional.of(name), false, true, List.of(url(name)));
    }

    private static List<String> urls(String... names) {
        return List.of(names).stream().map(EtcdScaleTest::url).toList();
    }

    private static Step next(int size, List<Member> members, Set<String> ready, List<String> known) {
        return EtcdScale.next(new Seen(size, members, ready, known, true, Optional.empty()));
    }

    @Test
    void asManyAsAreWishedIsTheEnd() {
        assertThat(next(1, List.of(voter("a")), THREE, urls("a"))).isEqualTo(new Step.Settled());
        // Two doors of one member.
        assertThat(next(1, List.of(voter("a")), THREE, List.of(url("a"), "https://a:22379")))
                .isEqualTo(new Step.Settled());
    }

    @Test
    void nodesGetMembersInTheOrderOfTheirNames() {
        assertThat(next(3, List.of(voter("b")), THREE, urls("b"))).isEqualTo(new Step.Add("a"));
        assertThat(next(3, List.of(voter("b"), voter("a")), THREE, urls("b"))).isEqualTo(new Step.Add("c"));
        assertThat(next(3, List.of(voter("b"), voter("a"), voter("c")), THREE, urls("b")))
                .isEqualTo(new Step.TellApiServers(List.of()));
    }

    /** Also when fewer are wished meanwhile: a learner is in everybody's way. */
    @Test
    void whatWasBegunIsEnded() {
        Member learner = new Member("id-c", "c", Optional.of("c"), true, false, List.of());
        for (int size : new int[] {1, 3}) {
            assertThat(next(size, List.of(voter("a"), learner), THREE, urls("a")))
                    .isEqualTo(new Step.Add("c"));
        }
        assertThat(next(1, List.of(voter("a"), learner), Set.of("a", "b"), urls("a")))
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("NodeAway"));
        assertThat(EtcdScale.next(new Seen(3, List.of(voter("a")), THREE, urls("a"), true, Optional.of("c"))))
                .as("the node that was decided on before")
                .isEqualTo(new Step.Add("c"));
    }

    @Test
    void whereThingsAreNotAsItKnowsThemNothingIsDone() {
        Member temporary = new Member("id-t", "a-second-door", Optional.empty(), false, true, List.of());
        assertThat(next(3, List.of(voter("a"), temporary), THREE, urls("a")))
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("UnknownMember"));
        assertThat(next(1, List.of(voter("a")), THREE, List.of("https://etcd.example:2379")))
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("UnknownServers"));
    }

    /** Two of three members would be a worse place to rest than one. */
    @Test
    void nothingIsBegunThatCannotBeEnded() {
        assertThat(next(3, List.of(voter("a")), Set.of("a", "b"), urls("a")))
                .isInstanceOfSatisfying(Step.Stalled.class, stalled -> {
                    assertThat(stalled.reason()).isEqualTo("TooFewNodes");
                    assertThat(stalled.message()).contains("2 more control-plane nodes", "there are b");
                });
    }

    @Test
    void whileAMemberDoesNotAnswerNothingIsBegun() {
        Member away = new Member("id-b", "b", Optional.of("b"), false, false, List.of(url("b")));
        for (int size : new int[] {1, 5}) {
            assertThat(next(size, List.of(voter("a"), away, voter("c")), Set.of("a", "c", "d", "e"), urls("a")))
                    .isInstanceOfSatisfying(
                            Step.Stalled.class,
                            stalled -> assertThat(stalled.reason()).isEqualTo("MemberAway"));
        }
        assertThat(next(3, List.of(voter("a"), away, voter("c")), THREE, urls("a", "b", "c")))
                .as("as many as are wished, and one of them away")
                .isInstanceOf(Step.Stalled.class);
    }

    @Test
    void apiServersForgetMembersBeforeTheseLeave() {
        List<Member> three = List.of(voter("a"), voter("b"), voter("c"));
        assertThat(next(1, three, THREE, urls("a", "b", "c")))
                .isEqualTo(new Step.TellApiServers(List.of("id-b", "id-c")));
        assertThat(next(1, three, THREE, urls("a"))).isEqualTo(new Step.Leave("c"));
        assertThat(next(1, three.subList(0, 2), THREE, urls("a"))).isEqualTo(new Step.Leave("b"));
        assertThat(next(1, three, Set.of("a", "b"), urls("a")))
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("NodeAway"));
    }

    /** Somebody else's change of the API servers is nothing to begin one for. */
    @Test
    void apiServersThatAreBeingExchangedAreWaitedForBeforeAMemberLeaves() {
        Seen rolling = new Seen(1, List.of(voter("a")), THREE, urls("a"), false, Optional.empty());
        assertThat(EtcdScale.next(rolling)).isEqualTo(new Step.Settled());
        Seen leaving = new Seen(1, List.of(voter("a"), voter("b")), THREE, urls("a"), false, Optional.empty());
        assertThat(EtcdScale.next(leaving)).isEqualTo(new Step.AwaitApiServers());
    }

    /** Steps are carried out, some of them in part, wishes change at random, API servers are exchanged late, and in the end it is as was wished last. */
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
        private int size = 1;

        World(Random random) {
            this.random = random;
            this.voting = new TreeSet<>(Set.of(NODES.get(random.nextInt(NODES.size()))));
            this.template = voting.stream().map(EtcdScaleTest::url).toList();
            this.running = template;
        }

        void run(int seed) {
            for (int turn = 0; turn < 160; turn++) {
                if (turn < 60 && random.nextInt(4) == 0) {
                    size = SIZES[random.nextInt(SIZES.length)];
                }
                if (random.nextInt(3) == 0) {
                    running = template;
                }
                act();
                assertThat(running)
                        .as("seed %d, turn %d: API servers know a member", seed, turn)
                        .anyMatch(url ->
                                voting.stream().anyMatch(name -> url(name).equals(url)));
            }
            assertThat(voting).as("seed %d", seed).hasSize(size);
            assertThat(learner).isEmpty();
            assertThat(running)
                    .containsExactlyInAnyOrderElementsOf(
                            voting.stream().map(EtcdScaleTest::url).toList());
        }

        private List<Member> members() {
            List<Member> members = new ArrayList<>();
            voting.forEach(name -> members.add(voter(name)));
            learner.ifPresent(
                    name -> members.add(new Member("id-" + name, name, Optional.of(name), true, false, List.of())));
            return members;
        }

        private void act() {
            Step step = EtcdScale.next(
                    new Seen(size, members(), Set.copyOf(NODES), template, running.equals(template), adding));
            switch (step) {
                case Step.Settled(), Step.AwaitApiServers() -> {}
                case Step.Add(String node) -> add(node);
                case Step.TellApiServers(List<String> without) ->
                    template = voting.stream()
                            .filter(name -> !without.contains("id-" + name))
                            .map(EtcdScaleTest::url)
                            .toList();
                case Step.Leave(String node) -> {
                    assertThat(running).doesNotContain(url(node));
                    assertThat(voting.remove(node)).isTrue();
                    assertThat(voting).isNotEmpty();
                }
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
