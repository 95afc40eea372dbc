package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.decide.QuorumLoss.Answers;
import dev.ouroboros.etcd.decide.QuorumLoss.Refuses;
import dev.ouroboros.etcd.decide.QuorumLoss.Save;
import dev.ouroboros.etcd.decide.QuorumLoss.Seen;
import dev.ouroboros.etcd.decide.QuorumLoss.Silent;
import dev.ouroboros.etcd.decide.QuorumLoss.State;
import dev.ouroboros.etcd.decide.QuorumLoss.Stored;
import dev.ouroboros.etcd.decide.QuorumLoss.Voter;
import dev.ouroboros.etcd.decide.QuorumLoss.Word;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class QuorumLossTest {
    private static final Instant NOW = Instant.parse("2026-11-30T10:00:00Z");
    private static final Answers CURRENT = at(70);
    private static final Voter SECOND = silent("node-2");
    private static final Voter THIRD = silent("node-3");

    private static Answers at(long index) {
        return new Answers(false, index, index, 40);
    }

    private static Voter own(Word word) {
        return new Voter("node-1", true, word);
    }

    private static Voter other(String name, Word word) {
        return new Voter(name, false, word);
    }

    private static Voter silent(String name) {
        return other(name, new Silent("cannot be reached", false));
    }

    private static Seen seen(Voter... voters) {
        return new Seen(Evidence.known(List.of(voters)), Optional.empty());
    }

    private static void assertRefused(String where, String what, Voter... voters) {
        assertThatThrownBy(() -> QuorumLoss.decide(seen(voters), State.initial(), NOW))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                            assertThat(problem.code()).isEqualTo(ErrorCode.CHANGE_REFUSED);
                            assertThat(problem.where()).isEqualTo(where);
                            assertThat(problem.what()).contains(what);
                        }));
    }

    @Test
    void whatIsNotLostIsNotGivenUp() {
        assertRefused("etcd", "has one member that votes", own(CURRENT));
        assertRefused("etcd", "has a leader, as member node-1 says", own(new Answers(true, 70, 70, 40)), SECOND, THIRD);
        assertRefused("etcd", "2 of its 3 members answer", own(CURRENT), other("node-2", CURRENT), THIRD);
    }

    /** As when all certificates have ended: every member lives, and none talks to another. */
    @Test
    void whoRefusesUsIsNotLost() {
        assertRefused(
                "member node-2",
                "lives, and does not answer us: refused our certificate",
                own(CURRENT),
                other("node-2", new Refuses("refused our certificate")),
                THIRD);
    }

    @Test
    void ofTwoThatAreLeftOfFiveTheOneThatIsFurtherGoesOnAndOnlyAlone() {
        Voter[] less = {own(CURRENT), other("node-2", at(71)), THIRD, silent("node-4"), silent("node-5")};
        assertThatThrownBy(() -> QuorumLoss.decide(seen(less), State.initial(), NOW))
                .hasMessageContaining("member node-2: answers too, and is at entry 71; this node's is at 70")
                .hasMessageContaining("run this on its node");
        Voter[] more = {own(CURRENT), other("node-2", at(69)), THIRD, silent("node-4"), silent("node-5")};
        assertThatThrownBy(() -> QuorumLoss.decide(seen(more), State.initial(), NOW))
                .hasMessageContaining("move etcd's manifest out of the kubelet's directory there");
        Voter[] unknown = {
            own(new Silent("starts", true)), other("node-2", at(69)), THIRD, silent("node-4"), silent("node-5")
        };
        assertThatThrownBy(() -> QuorumLoss.decide(seen(unknown), State.initial(), NOW))
                .hasMessageContaining("this node's does not answer")
                .hasMessageContaining("if that has more");
    }

    @Test
    void savesWhenTheOthersHaveBeenSilentForAMinute() {
        Seen alone = seen(own(CURRENT), SECOND, THIRD);
        NextStep<State, Save> first = QuorumLoss.decide(alone, State.initial(), NOW);
        assertThat(first.action()).isEmpty();
        assertThat(first.waitingFor()).contains("silent for 60 s");
        assertThat(QuorumLoss.decide(alone, first.state(), NOW.plusSeconds(59)).action())
                .isEmpty();
        assertThat(QuorumLoss.decide(alone, first.state(), NOW.plusSeconds(60)).action())
                .contains(new Save(70));
    }

    /** Without a leader it is ended like this one, and its kubelet may wait for five minutes until it starts it anew. */
    @Test
    void whoseMachineAnswersIsWaitedForLonger() {
        Seen refused = seen(own(CURRENT), other("node-2", new Silent("Connection refused", true)), THIRD);
        NextStep<State, Save> first = QuorumLoss.decide(refused, State.initial(), NOW);
        assertThat(QuorumLoss.decide(refused, first.state(), NOW.plusSeconds(419))
                        .action())
                .isEmpty();
        assertThat(QuorumLoss.decide(refused, first.state(), NOW.plusSeconds(420))
                        .action())
                .isPresent();
    }

    /** Without a leader its kubelet takes it for ill. */
    @Test
    void thatTheMemberItselfIsStartedAnewDoesNotCount() {
        Seen away = seen(own(new Silent("starts", true)), SECOND, THIRD);
        NextStep<State, Save> first = QuorumLoss.decide(away, State.initial(), NOW);
        NextStep<State, Save> later = QuorumLoss.decide(away, first.state(), NOW.plusSeconds(60));
        assertThat(later.action()).isEmpty();
        assertThat(later.waitingFor()).contains("this node's member to have applied");
        assertThat(QuorumLoss.decide(seen(own(CURRENT), SECOND, THIRD), later.state(), NOW.plusSeconds(61))
                        .action())
                .isPresent();
    }

    /** As an etcd that has started without the others. */
    @Test
    void ofAMemberThatDoesNotAnswerItsDiskCountsWhenNothingIsWrittenToIt() {
        Seen stored = seen(own(new Stored(70)), SECOND, THIRD);
        NextStep<State, Save> first = QuorumLoss.decide(stored, State.initial(), NOW);
        NextStep<State, Save> more =
                QuorumLoss.decide(seen(own(new Stored(71)), SECOND, THIRD), first.state(), NOW.plusSeconds(30));
        Seen now = seen(own(new Stored(71)), SECOND, THIRD);
        assertThat(QuorumLoss.decide(now, more.state(), NOW.plusSeconds(89)).action())
                .as("it has applied something since")
                .isEmpty();
        assertThat(QuorumLoss.decide(now, more.state(), NOW.plusSeconds(90)).action())
                .contains(new Save(71));
        State saved = more.state().savedAt(71);
        assertThat(QuorumLoss.decide(now, saved, NOW.plusSeconds(91)).ended()).isTrue();
        assertThat(QuorumLoss.decide(seen(own(new Stored(72)), SECOND, THIRD), saved, NOW.plusSeconds(91))
                        .ended())
                .isFalse();
    }

    @Test
    void whatIsAgreedOnIsAppliedFirst() {
        Seen behind = seen(own(new Answers(false, 70, 69, 40)), SECOND, THIRD);
        NextStep<State, Save> step = QuorumLoss.decide(
                behind, new State(Optional.of(NOW), Optional.empty(), Optional.empty()), NOW.plusSeconds(600));
        assertThat(step.action()).isEmpty();
        assertThat(step.waitingFor()).contains("applied all");
    }

    @Test
    void whatWasSavedIsWhatThereIsStill() {
        State saved = new State(Optional.of(NOW), Optional.empty(), Optional.empty()).savedAt(70);
        Instant later = NOW.plusSeconds(300);
        assertThat(QuorumLoss.decide(seen(own(CURRENT), SECOND, THIRD), saved, later)
                        .ended())
                .isTrue();
        assertThat(QuorumLoss.decide(seen(own(new Silent("starts", true)), SECOND, THIRD), saved, later)
                        .ended())
                .as("alone it agrees on nothing")
                .isTrue();
        NextStep<State, Save> newer = QuorumLoss.decide(seen(own(at(71)), SECOND, THIRD), saved, later);
        assertThat(newer.ended()).isFalse();
        assertThat(newer.state()).as("saved anew").isEqualTo(State.initial());
        assertThatThrownBy(() ->
                        QuorumLoss.decide(seen(own(CURRENT), other("node-2", new Refuses("no")), THIRD), saved, later))
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void aSaveThatCameToNothingIsSaid() {
        Problem full = new Problem(ErrorCode.DISK, "member.db", "cannot be written", "", "make room");
        Seen refused = new Seen(Evidence.known(List.of(own(CURRENT), SECOND, THIRD)), Optional.of(full));
        NextStep<State, Save> step = QuorumLoss.decide(
                refused, new State(Optional.of(NOW), Optional.empty(), Optional.empty()), NOW.plusSeconds(60));
        assertThat(step.action()).isPresent();
        assertThat(step.detail()).contains("cannot be written");
    }
}
