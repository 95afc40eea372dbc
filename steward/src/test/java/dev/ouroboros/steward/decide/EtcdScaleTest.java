package dev.ouroboros.steward.decide;

import static dev.ouroboros.steward.decide.EtcdScaleScene.LIMIT;
import static dev.ouroboros.steward.decide.EtcdScaleScene.TOLD;
import static dev.ouroboros.steward.decide.EtcdScaleScene.fragmented;
import static dev.ouroboros.steward.decide.EtcdScaleScene.learner;
import static dev.ouroboros.steward.decide.EtcdScaleScene.silent;
import static dev.ouroboros.steward.decide.EtcdScaleScene.told;
import static dev.ouroboros.steward.decide.EtcdScaleScene.url;
import static dev.ouroboros.steward.decide.EtcdScaleScene.urls;
import static dev.ouroboros.steward.decide.EtcdScaleScene.voter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.steward.decide.EtcdScale.Manifests;
import dev.ouroboros.steward.decide.EtcdScale.Member;
import dev.ouroboros.steward.decide.EtcdScale.Seen;
import dev.ouroboros.steward.decide.EtcdScale.Step;
import dev.ouroboros.steward.decide.MemberManifest.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class EtcdScaleTest {
    private static final Set<String> THREE = Set.of("a", "b", "c");

    private static Step replacing(int size, List<Member> members, Set<String> ready) {
        return EtcdScale.next(new Seen(
                size, members, ready, urls("a", "b", "c"), true, Optional.empty(), Optional.of(LIMIT), false, TOLD));
    }

    private static Step next(int size, List<Member> members, Set<String> ready, List<String> known) {
        return EtcdScale.next(
                new Seen(size, members, ready, known, true, Optional.empty(), Optional.empty(), false, TOLD));
    }

    @Test
    void asManyAsAreWishedIsTheEnd() {
        assertThat(next(1, List.of(voter("a")), THREE, urls("a"))).isEqualTo(new Step.Settled());
        // Two doors of one member.
        assertThat(next(1, List.of(voter("a")), THREE, List.of(url("a"), "https://a:22379")))
                .isEqualTo(new Step.Settled());
    }

    @Test
    void membersWriteTheirFilesAnewWhenNothingElseIsToBeDone() {
        List<Member> members = List.of(voter("a"), fragmented("b"), fragmented("c"));
        assertThat(next(3, members, THREE, urls("a", "b", "c"))).isEqualTo(new Step.Defragment("b"));
        assertThat(next(3, List.of(leader("a", true), voter("b"), fragmented("c")), THREE, urls("a", "b", "c")))
                .as("the leader comes last")
                .isEqualTo(new Step.Defragment("c"));
        assertThat(next(3, List.of(leader("a", true), voter("b"), voter("c")), THREE, urls("a", "b", "c")))
                .isEqualTo(new Step.Defragment("a"));
        assertThat(next(5, members, Set.of("a", "b", "c", "d", "e"), urls("a", "b", "c")))
                .as("more members are wished")
                .isEqualTo(new Step.Add("d"));
        assertThat(next(3, members, THREE, urls("a")))
                .as("API servers do not know all of them")
                .isInstanceOf(Step.TellApiServers.class);
        assertThat(EtcdScale.next(new Seen(
                        3,
                        members,
                        THREE,
                        urls("a", "b", "c"),
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        TOLD)))
                .as("API servers are exchanged")
                .isEqualTo(new Step.Settled());
        Manifests busy = new Manifests(0, TOLD.told(), Set.of("c"), Optional.empty(), Optional.empty());
        assertThat(changing(members, busy))
                .as("another node is at something with its member")
                .isEqualTo(new Step.Settled());
        assertThat(next(3, List.of(voter("a"), fragmented("b"), voter("c")), Set.of("a", "c"), urls("a", "b", "c")))
                .as("its node is not ready")
                .isEqualTo(new Step.Settled());
        assertThat(next(1, List.of(fragmented("a")), THREE, urls("a")))
                .as("everybody would wait for it")
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
        Member learner = learner("c", Optional.of(Duration.ZERO));
        for (int size : new int[] {1, 3}) {
            assertThat(next(size, List.of(voter("a"), learner), THREE, urls("a")))
                    .isEqualTo(new Step.Add("c"));
        }
        assertThat(next(1, List.of(voter("a"), learner), Set.of("a", "b"), urls("a")))
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("NodeAway"));
        assertThat(EtcdScale.next(new Seen(
                        3,
                        List.of(voter("a")),
                        THREE,
                        urls("a"),
                        true,
                        Optional.of("c"),
                        Optional.empty(),
                        false,
                        TOLD)))
                .as("the node that was decided on before")
                .isEqualTo(new Step.Add("c"));
    }

    @Test
    void whereThingsAreNotAsItKnowsThemNothingIsDone() {
        Member temporary = new Member(
                "id-t",
                "a-second-door",
                Optional.empty(),
                Optional.empty(),
                false,
                false,
                true,
                false,
                Optional.empty(),
                List.of());
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
        Member away = silent("b", Duration.ofDays(1));
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
    void aMemberThatStaysSilentGivesItsPlaceToOneOnANodeThatHasNone() {
        List<Member> lost = List.of(voter("a"), silent("b", LIMIT), voter("c"));
        assertThat(replacing(3, lost, Set.of("a", "c", "e", "d"))).isEqualTo(new Step.Remove("id-b", Optional.of("d")));
        assertThat(replacing(
                        3, List.of(voter("a"), silent("b", LIMIT.minusSeconds(1)), voter("c")), Set.of("a", "c", "d")))
                .isInstanceOfSatisfying(
                        Step.Await.class,
                        await -> assertThat(await.message()).contains("replaced by one on node d", "5 min"));
    }

    /** Its disk is lost, and its node is not. */
    @Test
    void aMemberOfANodeThatIsReadyIsReplacedThereWhereThereIsNoOther() {
        assertThat(replacing(3, List.of(voter("a"), silent("b", LIMIT), voter("c")), THREE))
                .isEqualTo(new Step.Remove("id-b", Optional.of("b")));
    }

    @Test
    void aMemberThatNobodyCouldReplaceStays() {
        List<Member> lost = List.of(voter("a"), silent("b", LIMIT), voter("c"));
        assertThat(replacing(3, lost, Set.of("a", "c"))).isInstanceOfSatisfying(Step.Stalled.class, stalled -> {
            assertThat(stalled.reason()).isEqualTo("MemberAway");
            assertThat(stalled.message()).contains("no control-plane node that is ready");
        });
        assertThat(replacing(1, lost, Set.of("a", "c")))
                .as("fewer are wished")
                .isEqualTo(new Step.Remove("id-b", Optional.empty()));
    }

    /** Fewer were wished, and API servers were told of the one that stays. */
    @Test
    void apiServersThatWouldKnowOnlyTheLostOneAreToldOfTheOthersFirst() {
        assertThat(EtcdScale.next(new Seen(
                        1,
                        List.of(silent("a", LIMIT), voter("b"), voter("c")),
                        Set.of("b", "c"),
                        urls("a"),
                        false,
                        Optional.empty(),
                        Optional.of(LIMIT),
                        false,
                        TOLD)))
                .isEqualTo(new Step.TellApiServers(List.of("id-a")));
    }

    /** Without the others the one that is silent is needed. */
    @Test
    void nothingIsRemovedWhileAnotherMemberDoesNotFollow() {
        Member lags = new Member(
                "id-c",
                "c",
                Optional.of("c"),
                Optional.empty(),
                false,
                false,
                false,
                false,
                Optional.empty(),
                List.of(url("c")));
        for (Member other : List.of(lags, silent("c", Duration.ZERO))) {
            assertThat(replacing(3, List.of(voter("a"), silent("b", LIMIT), other), Set.of("a", "c", "d")))
                    .isInstanceOfSatisfying(
                            Step.Stalled.class,
                            stalled -> assertThat(stalled.message()).contains("c does not follow the leader"));
        }
    }

    /** It may answer nothing for a while: nobody takes its place. */
    @Test
    void aMemberThatWritesItsFileAnewIsNotLost() {
        Manifests writing = new Manifests(0, TOLD.told(), Set.of("b"), Optional.empty(), Optional.of("b"));
        assertThat(changing(List.of(voter("a"), silent("b", LIMIT.multipliedBy(2)), voter("c")), writing))
                .isEqualTo(new Step.Defragment("b"));
        assertThat(changing(List.of(silent("a", LIMIT.multipliedBy(2)), silent("b", LIMIT), voter("c")), writing))
                .as("another one is away, too")
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("MemberAway"));
        Manifests ended = new Manifests(0, TOLD.told(), Set.of(), Optional.empty(), Optional.of("b"));
        assertThat(changing(List.of(voter("a"), silent("b", LIMIT), voter("c")), ended))
                .as("its node is not at it any more")
                .isEqualTo(new Step.Remove("id-b", Optional.of("b")));
    }

    private static Member leader(String name) {
        return leader(name, false);
    }

    private static Member leader(String name, boolean isFragmented) {
        return new Member(
                "id-" + name,
                name,
                Optional.of(name),
                Optional.empty(),
                false,
                true,
                true,
                isFragmented,
                Optional.empty(),
                List.of(url(name)));
    }

    private static Step changing(List<Member> members, Manifests manifests) {
        return EtcdScale.next(new Seen(
                3, members, THREE, urls("a", "b", "c"), true, Optional.empty(), Optional.of(LIMIT), true, manifests));
    }

    /** Who leads last: it gives that up once, and not to one that is changed after it. */
    @Test
    void manifestsBecomeAsIsWishedOneAfterTheOtherTheLeadersLast() {
        List<Member> three = List.of(leader("a"), voter("b"), voter("c"));
        assertThat(changing(three, told(Set.of(), State.OUTDATED, State.OUTDATED, State.OUTDATED)))
                .isEqualTo(new Step.Change("b"));
        assertThat(changing(three, told(Set.of(), State.OUTDATED, State.CURRENT, State.OUTDATED)))
                .isEqualTo(new Step.Change("c"));
        assertThat(changing(three, told(Set.of(), State.OUTDATED, State.CURRENT, State.CURRENT)))
                .isEqualTo(new Step.Change("a"));
        assertThat(changing(three, TOLD)).isEqualTo(new Step.Settled());
    }

    /** A wish that one member does not run with is given to no other one. */
    @Test
    void whatDidNotRunOnOneNodeIsTriedOnNoOther() {
        assertThat(changing(
                        List.of(leader("a"), voter("b"), voter("c")),
                        told(Set.of(), State.OUTDATED, State.FAILED, State.OUTDATED)))
                .isInstanceOfSatisfying(Step.Stalled.class, stalled -> {
                    assertThat(stalled.reason()).isEqualTo("ChangeFailed");
                    assertThat(stalled.message()).isEqualTo("b: it ended");
                });
    }

    @Test
    void nothingIsChangedBeforeEveryNodeHasLookedAtTheWish() {
        Manifests ofBefore = new Manifests(
                1, told(Set.of(), State.CURRENT, State.OUTDATED).told(), Set.of(), Optional.empty(), Optional.empty());
        assertThat(changing(List.of(leader("a"), voter("b"), voter("c")), ofBefore))
                .isInstanceOfSatisfying(
                        Step.Await.class, await -> assertThat(await.reason()).isEqualTo("ManifestPending"));
    }

    /** The member that is changed ends for a moment, and an only one has others beside it: neither is lost or somebody else's. */
    @Test
    void aChangeThatIsUnderWayIsNoObstacleAndEndsFirst() {
        List<Member> restarting = List.of(leader("a"), silent("b", LIMIT), voter("c"));
        Manifests underWay = new Manifests(
                0,
                told(Set.of(), State.CURRENT, State.OUTDATED).told(),
                Set.of("b"),
                Optional.of("b"),
                Optional.empty());
        assertThat(changing(restarting, underWay)).isEqualTo(new Step.Change("b"));
        Member temporary = new Member(
                "id-t",
                "a-second-door",
                Optional.empty(),
                Optional.of("a"),
                false,
                false,
                true,
                false,
                Optional.empty(),
                List.of());
        assertThat(changing(List.of(voter("a"), temporary), told(Set.of("a"), State.OUTDATED)))
                .isEqualTo(new Step.Change("a"));
        assertThat(changing(List.of(voter("a"), temporary), told(Set.of(), State.CURRENT)))
                .as("nobody is at it")
                .isInstanceOfSatisfying(
                        Step.Stalled.class,
                        stalled -> assertThat(stalled.reason()).isEqualTo("UnknownMember"));
    }

    /** What others do not reach may serve where it is; what is being changed comes back; and what would begin an etcd of its own is not let loose. */
    @Test
    void aMemberThatMayLiveIsNotReplaced() {
        List<Member> lost = List.of(voter("a"), silent("b", LIMIT), voter("c"));
        MemberManifest answers = new MemberManifest("b", 0, State.CURRENT, "", false, false, Optional.empty());
        MemberManifest startsAlone = new MemberManifest("b", 0, State.OUTDATED, "", true, true, Optional.empty());
        for (MemberManifest told : List.of(answers, startsAlone)) {
            Manifests manifests = new Manifests(0, Map.of("b", told), Set.of(), Optional.empty(), Optional.empty());
            assertThat(changing(lost, manifests))
                    .isInstanceOfSatisfying(
                            Step.Await.class,
                            await -> assertThat(await.reason()).isEqualTo("MemberAway"));
        }
        assertThat(changing(lost, told(Set.of("b"), State.CURRENT))).isInstanceOf(Step.Await.class);
        assertThat(changing(lost, TOLD)).isEqualTo(new Step.Remove("id-b", Optional.of("b")));
    }

    @Test
    void aMemberOfANodeThatIsOffNeedsNobodysWord() {
        List<Member> lost = List.of(voter("a"), silent("b", LIMIT), voter("c"));
        MemberManifest before = new MemberManifest("b", 0, State.CURRENT, "", false, false, Optional.empty());
        Seen seen = new Seen(
                3,
                lost,
                Set.of("a", "c", "d"),
                urls("a", "b", "c"),
                true,
                Optional.empty(),
                Optional.of(LIMIT),
                false,
                new Manifests(7, Map.of("b", before), Set.of("b"), Optional.empty(), Optional.empty()));
        assertThat(EtcdScale.next(seen)).isEqualTo(new Step.Remove("id-b", Optional.of("d")));
    }

    @Test
    void aLearnerWhoseNodeWentAwayIsTakenOffTheList() {
        Set<String> ready = Set.of("a", "b");
        assertThat(replacing(3, List.of(voter("a"), learner("c", Optional.of(LIMIT))), ready))
                .isEqualTo(new Step.Remove("id-c", Optional.empty()));
        assertThat(replacing(3, List.of(voter("a"), learner("c", Optional.of(Duration.ZERO))), ready))
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
        Seen rolling = new Seen(
                1, List.of(voter("a")), THREE, urls("a"), false, Optional.empty(), Optional.empty(), false, TOLD);
        assertThat(EtcdScale.next(rolling)).isEqualTo(new Step.Settled());
        Seen leaving = new Seen(
                1,
                List.of(voter("a"), voter("b")),
                THREE,
                urls("a"),
                false,
                Optional.empty(),
                Optional.empty(),
                false,
                TOLD);
        assertThat(EtcdScale.next(leaving)).isEqualTo(new Step.AwaitApiServers());
    }
}
