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
        return new Member(name, false, true, List.of(url(name)));
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

    @Test
    void whatWasBegunGoesOn() {
        Member learner = new Member("c", true, true, List.of(url("c")));
        assertThat(next(3, List.of(voter("a"), learner), THREE, urls("a"))).isEqualTo(new Step.Add("c"));
        Member silent = new Member("", true, false, List.of());
        assertThat(EtcdScale.next(new Seen(3, List.of(voter("a"), silent), THREE, urls("a"), true, Optional.of("c"))))
                .isEqualTo(new Step.Add("c"));
        assertThat(EtcdScale.next(
                        new Seen(3, List.of(voter("a"), silent), Set.of("a", "b"), urls("a"), true, Optional.of("c"))))
                .isInstanceOf(Step.Stalled.class);
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
        Member away = new Member("b", false, false, List.of(url("b")));
        for (int size : new int[] {1, 5}) {
            assertThat(next(size, List.of(voter("a"), away, voter("c")), Set.of("a", "c", "d", "e"), urls("a")))
                    .isInstanceOfSatisfying(
                            Step.Stalled.class,
                            stalled -> assertThat(stalled.reason()).isEqualTo("MemberAway"));
        }
        assertThat(next(3, List.of(voter("a"), away, voter("c")), THREE, urls("a", "b", "c")))
                .isEqualTo(new Step.Settled());
    }

    @Test
    void apiServersForgetMembersBeforeTheseLeave() {
        List<Member> three = List.of(voter("a"), voter("b"), voter("c"));
        assertThat(next(1, three, THREE, urls("a", "b", "c"))).isEqualTo(new Step.TellApiServers(List.of("b", "c")));
        assertThat(next(1, three, THREE, urls("a"))).isEqualTo(new Step.Leave("c"));
        assertThat(next(1, three.subList(0, 2), THREE, urls("a"))).isEqualTo(new Step.Leave("b"));
        assertThat(next(1, three, Set.of("a", "b"), urls("a")))
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("NodeAway"));
    }

    @Test
    void aTemplateIsNotEnough() {
        Seen rolling = new Seen(1, List.of(voter("a")), THREE, urls("a"), false, Optional.empty());
        assertThat(EtcdScale.next(rolling)).isEqualTo(new Step.TellApiServers(List.of()));
        Seen leaving = new Seen(1, List.of(voter("a"), voter("b")), THREE, urls("a"), false, Optional.empty());
        assertThat(EtcdScale.next(leaving)).isEqualTo(new Step.TellApiServers(List.of("b")));
    }

    /** Steps are carried out, wishes change at random, and in the end it is as was wished last. */
    @Test
    void aWishThatChangesIsObeyedInEveryState() {
        List<String> nodes = List.of("a", "b", "c", "d", "e");
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            TreeSet<String> voting = new TreeSet<>(Set.of(nodes.get(random.nextInt(nodes.size()))));
            List<String> known =
                    new ArrayList<>(voting.stream().map(EtcdScaleTest::url).toList());
            int[] sizes = {1, 3, 5};
            int size = 1;
            int quiet = 0;
            for (int turn = 0; turn < 200 && quiet < 40; turn++) {
                if (turn < 60 && random.nextInt(4) == 0) {
                    size = sizes[random.nextInt(sizes.length)];
                }
                quiet = turn < 60 ? 0 : quiet + 1;
                List<Member> members = voting.stream().map(EtcdScaleTest::voter).toList();
                switch (next(size, members, Set.copyOf(nodes), known)) {
                    case Step.Settled() -> {}
                    case Step.Add(String node) -> assertThat(voting.add(node)).isTrue();
                    case Step.TellApiServers(List<String> without) -> {
                        known.clear();
                        voting.stream().filter(name -> !without.contains(name)).forEach(name -> known.add(url(name)));
                    }
                    case Step.Leave(String node) -> {
                        assertThat(known).doesNotContain(url(node));
                        assertThat(voting.remove(node)).isTrue();
                    }
                    case Step.Stalled stalled -> assertThat(stalled).isNull();
                }
                assertThat(voting).isNotEmpty();
                assertThat(known)
                        .as("API servers know a member")
                        .anyMatch(url ->
                                voting.stream().anyMatch(name -> url(name).equals(url)));
            }
            assertThat(voting).as("seed %d", seed).hasSize(size);
            assertThat(known)
                    .containsExactlyInAnyOrderElementsOf(
                            voting.stream().map(EtcdScaleTest::url).toList());
        }
    }
}
