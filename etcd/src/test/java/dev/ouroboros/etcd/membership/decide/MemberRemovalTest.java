package dev.ouroboros.etcd.membership.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.etcd.membership.decide.MemberRemoval.Remove;
import dev.ouroboros.etcd.membership.decide.MemberRemoval.Seen;
import dev.ouroboros.etcd.membership.decide.MemberRemoval.State;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class MemberRemovalTest {
    private static final ListedMember FIRST = new ListedMember("a", "node-1", false, true, true);
    private static final ListedMember SECOND = new ListedMember("b", "node-2", false, false, true);
    private static final ListedMember THIRD = new ListedMember("e", "node-5", false, false, true);

    private static ListedMember own(boolean leads, boolean isCurrent) {
        return new ListedMember("c", "node-3", false, leads, isCurrent);
    }

    private static Seen lost(boolean answers, List<ListedMember> others) {
        return new Seen(
                Evidence.known(new MembersSeen(Optional.of(own(false, answers)), others)), answers, Optional.empty());
    }

    @Test
    void oneThatIsLostIsRemovedAfterAMinuteOfSilence() {
        MemberRemoval removal = new MemberRemoval("node-3");
        List<ListedMember> others = List.of(FIRST, SECOND);
        var first = removal.decide(lost(false, others), State.initial(), Instant.EPOCH);
        assertThat(first.action()).isEmpty();
        var early = removal.decide(lost(false, others), first.state(), Instant.EPOCH.plusSeconds(59));
        assertThat(early.action()).isEmpty();
        assertThat(removal.decide(lost(false, others), early.state(), Instant.EPOCH.plusSeconds(60))
                        .action())
                .hasValue(new Remove("c"));

        ListedMember away = new ListedMember("d", "node-4", false, false, false);
        var disturbed = removal.decide(
                lost(false, List.of(FIRST, SECOND, THIRD, away)), early.state(), Instant.EPOCH.plusSeconds(60));
        assertThat(disturbed.action()).isEmpty();
        assertThat(disturbed.state().silentSince()).as("it begins anew").isEmpty();
    }

    /** Its client port may be closed to this machine alone. */
    @Test
    void oneThatLeadsTheOthersIsNotRemoved() {
        Seen leads = new Seen(
                Evidence.known(new MembersSeen(Optional.of(own(true, false)), List.of(FIRST, SECOND))),
                false,
                Optional.empty());
        assertThatThrownBy(() -> new MemberRemoval("node-3").decide(leads, State.initial(), Instant.EPOCH))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("lives, although");
        Seen ofTwo = new Seen(
                Evidence.known(new MembersSeen(Optional.of(own(false, false)), List.of(FIRST))),
                false,
                Optional.empty());
        assertThatThrownBy(() -> new MemberRemoval("node-3").decide(ofTwo, State.initial(), Instant.EPOCH))
                .as("one of two could not lead without it")
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void oneThatAnswersIsNotRemoved() {
        MemberRemoval removal = new MemberRemoval("node-3");
        assertThatThrownBy(() -> removal.decide(lost(true, List.of(FIRST, SECOND)), State.initial(), Instant.EPOCH))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems()).singleElement().satisfies(problem -> {
                            assertThat(problem.code()).isEqualTo(ErrorCode.CHANGE_REFUSED);
                            assertThat(problem.next()).contains("ouro etcd leave");
                        }));
    }

    /** Each would wait for the other for ever. */
    @Test
    void aLearnerThatNeverRanAndALostMemberAreNotInEachOthersWay() {
        ListedMember neverRan = new ListedMember("d", "node-4", true, false, false);
        State silent = new State(Optional.of(Instant.EPOCH), false);
        Instant later = Instant.EPOCH.plusSeconds(60);
        assertThat(new MemberRemoval("node-3")
                        .decide(lost(false, List.of(FIRST, SECOND, neverRan)), silent, later)
                        .action())
                .hasValue(new Remove("c"));
        Seen learner = new Seen(
                Evidence.known(new MembersSeen(Optional.of(neverRan), List.of(FIRST, SECOND, own(false, false)))),
                false,
                Optional.empty());
        assertThat(new MemberRemoval("node-4").decide(learner, silent, later).action())
                .hasValue(new Remove("d"));
    }
}
