package dev.ouroboros.etcd.membership.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.membership.decide.MemberAddition.Action;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Phase;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Request;
import dev.ouroboros.etcd.membership.decide.MemberAddition.Seen;
import dev.ouroboros.etcd.membership.decide.MemberAddition.State;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The addition of a member, from both sides. */
final class MemberAdditionTest {
    private static final MemberAddition ADDITION = new MemberAddition("node-2", Duration.ofMinutes(5));
    private static final ListedMember LEADER = new ListedMember("a", "node-1", false, true, true);
    private static final Request SIGNED = new Request("request", true, Optional.empty());

    @ParameterizedTest
    @EnumSource
    void itGoesOnWhereverOneSideWasKilled(ModelMembership.Side side) throws Exception {
        int places = KilledAnywhere.checkPairs(() -> new ModelMembership(side, 1, false));
        assertThat(places).isGreaterThan(5);
        KilledAnywhere.check(() -> new ModelMembership(side, 2, false));
    }

    @ParameterizedTest
    @EnumSource
    void aNodeThatDoesNotReachTheOthersIsTakenAwayAgainWhereverOneSideWasKilled(ModelMembership.Side side)
            throws Exception {
        KilledAnywhere.checkPairs(() -> new ModelMembership(side, 1, true));
    }

    private static Seen seen(MembersSeen members, Optional<Request> request) {
        return new Seen(
                Evidence.known(members),
                Evidence.known(request),
                Evidence.known(Optional.empty()),
                Evidence.unknown("not asked"),
                Optional.empty());
    }

    private static ListedMember own(boolean isLearner, boolean isCurrent) {
        return new ListedMember("b", "node-2", isLearner, false, isCurrent);
    }

    private static State in(Phase phase) {
        return new State(phase, Instant.EPOCH, Optional.empty(), Optional.empty());
    }

    @Test
    void nothingIsBegunWhileAnotherMemberIsNotWell() {
        ListedMember away = new ListedMember("c", "node-3", false, false, false);
        assertThat(ADDITION.decide(
                                seen(new MembersSeen(Optional.empty(), List.of(LEADER, away)), Optional.of(SIGNED)),
                                in(Phase.ASKED),
                                Instant.EPOCH)
                        .detail())
                .isEqualTo(": node-3 does not");
        ListedMember learner = new ListedMember("c", "node-3", true, false, true);
        assertThat(ADDITION.decide(
                                seen(new MembersSeen(Optional.empty(), List.of(LEADER, learner)), Optional.of(SIGNED)),
                                in(Phase.ASKED),
                                Instant.EPOCH)
                        .detail())
                .isEqualTo(": node-3 is a learner; if nobody adds it any more: ouro etcd remove c");
        Seen alarmed = new Seen(
                Evidence.known(new MembersSeen(Optional.empty(), List.of(LEADER))),
                Evidence.known(Optional.of(SIGNED)),
                Evidence.known(Optional.of("NO_SPACE")),
                Evidence.unknown(""),
                Optional.empty());
        var step = ADDITION.decide(alarmed, in(Phase.ASKED), Instant.EPOCH);
        assertThat(step.action()).isEmpty();
        assertThat(step.waitingFor() + step.detail()).isEqualTo("etcd to have no alarm: NO_SPACE");
    }

    @Test
    void aLearnerWithoutAGrantIsReplaced() {
        MembersSeen members = new MembersSeen(Optional.of(own(true, false)), List.of(LEADER));
        assertThat(ADDITION.decide(seen(members, Optional.of(SIGNED)), in(Phase.ASKED), Instant.EPOCH)
                        .action())
                .hasValue(new Action.Remove("b"));
        Request ofAnother = new Request("request", true, Optional.of("z"));
        assertThat(ADDITION.decide(seen(members, Optional.of(ofAnother)), in(Phase.ASKED), Instant.EPOCH)
                        .action())
                .hasValueSatisfying(action -> assertThat(action).isInstanceOf(Action.Withdraw.class));
    }

    @ParameterizedTest
    @EnumSource
    void dataOfAnotherMemberStay(ModelMembership.Side side) throws Exception {
        KilledAnywhere.checkPairs(() -> new ModelMembership(side, 1, false).withForeignData());
    }

    @Test
    void oneThatVotesIsNotTakenAwayWhenTimeIsOver() {
        MembersSeen lagging = new MembersSeen(Optional.of(own(false, false)), List.of(LEADER));
        var late = ADDITION.decide(
                seen(lagging, Optional.of(SIGNED)), in(Phase.PROVING), Instant.EPOCH.plus(Duration.ofMinutes(5)));
        assertThat(late.action()).isEmpty();
        assertThat(late.state().phase()).isEqualTo(Phase.FAILED);
        var promoted = ADDITION.decide(
                seen(lagging, Optional.of(SIGNED)),
                new State(Phase.WITHDRAWING, Instant.EPOCH, Optional.empty(), Optional.of("late")),
                Instant.EPOCH);
        assertThat(promoted.state().phase())
                .as("etcd had promoted it, and answered late")
                .isEqualTo(Phase.PROVING);
        assertThat(promoted.state().failure()).isEmpty();
    }

    /** It would stand in the way of the node's next one, for an hour. */
    @Test
    void aRequestThatHasDoneItsPartIsClosed() {
        MembersSeen members = new MembersSeen(Optional.of(own(false, true)), List.of(LEADER));
        Seen open = new Seen(
                Evidence.known(members),
                Evidence.known(Optional.of(SIGNED)),
                Evidence.known(Optional.empty()),
                Evidence.known(true),
                Optional.empty());
        assertThat(ADDITION.decide(open, in(Phase.PROVING), Instant.EPOCH).action())
                .hasValue(new Action.Withdraw("request", "its member votes"));
        Seen closed = new Seen(
                open.members(), Evidence.known(Optional.empty()), open.alarm(), open.sameData(), Optional.empty());
        assertThat(ADDITION.decide(closed, in(Phase.PROVING), Instant.EPOCH)
                        .state()
                        .phase())
                .isEqualTo(Phase.DONE);
    }

    @Test
    void dataThatDifferAreSaid() {
        Seen differs = new Seen(
                Evidence.known(new MembersSeen(Optional.of(own(false, true)), List.of(LEADER))),
                Evidence.known(Optional.of(SIGNED)),
                Evidence.known(Optional.empty()),
                Evidence.known(false),
                Optional.empty());
        State first = ADDITION.decide(differs, in(Phase.PROVING), Instant.EPOCH).state();
        assertThat(first.failure())
                .as("while one of them compacts, hashes differ")
                .isEmpty();
        State end =
                ADDITION.decide(differs, first, Instant.EPOCH.plusSeconds(5)).state();
        assertThat(end.phase()).isEqualTo(Phase.FAILED);
        assertThat(end.failure()).hasValue("its data differ from those of the others");
    }

    /** The controller manager deletes requests an hour after they were signed. */
    @Test
    void oneThatRunsVotesAlsoWhenItsRequestIsGone() {
        MembersSeen members = new MembersSeen(Optional.of(own(true, true)), List.of(LEADER));
        State joining = ADDITION.decide(seen(members, Optional.empty()), in(Phase.ASKED), Instant.EPOCH)
                .state();
        assertThat(joining.phase()).isEqualTo(Phase.JOINING);
        State steady = ADDITION.decide(seen(members, Optional.empty()), joining, Instant.EPOCH)
                .state();
        assertThat(ADDITION.decide(seen(members, Optional.empty()), steady, Instant.EPOCH.plusSeconds(5))
                        .action())
                .hasValue(new Action.Promote("b"));
    }

    @Test
    void aNodeThatAsksAnewIsLetAnew() {
        MembersSeen members = new MembersSeen(Optional.of(own(true, false)), List.of(LEADER));
        Request other = new Request("another", false, Optional.empty());
        State end = ADDITION.decide(seen(members, Optional.of(other)), in(Phase.JOINING), Instant.EPOCH)
                .state();
        assertThat(end.phase()).isEqualTo(Phase.WITHDRAWING);
        assertThat(end.failure()).hasValue("the node has asked anew");
    }

    /** What is seen may be of before. */
    @Test
    void nothingIsTakenAwayWhileAnotherMemberIsNotWell() {
        ListedMember away = new ListedMember("c", "node-3", false, false, false);
        MembersSeen members = new MembersSeen(Optional.of(own(true, false)), List.of(LEADER, away));
        assertThat(ADDITION.decide(seen(members, Optional.of(SIGNED)), in(Phase.ASKED), Instant.EPOCH)
                        .action())
                .isEmpty();
    }

    @Test
    void unknownWaits() {
        Seen nothing = new Seen(
                Evidence.unknown("nobody answers"),
                Evidence.unknown("no API"),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Optional.empty());
        for (Phase phase : Phase.values()) {
            assertThat(ADDITION.decide(nothing, in(phase), Instant.EPOCH).action())
                    .isEmpty();
        }
        assertThat(ADDITION.decide(nothing, in(Phase.JOINING), Instant.EPOCH.plus(Duration.ofMinutes(5)))
                        .state()
                        .failure())
                .hasValue("after 300 s it still waited for an answer of etcd: nobody answers");
    }
}
