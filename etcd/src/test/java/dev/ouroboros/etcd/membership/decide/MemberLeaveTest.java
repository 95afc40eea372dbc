package dev.ouroboros.etcd.membership.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.membership.decide.MemberLeave.Action;
import dev.ouroboros.etcd.membership.decide.MemberLeave.Phase;
import dev.ouroboros.etcd.membership.decide.MemberLeave.Seen;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.procedure.NextStep;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a member leaves in order, and how one that is lost is taken off the list. */
final class MemberLeaveTest {
    private static final ListedMember FIRST = new ListedMember("a", "node-1", false, true, true);
    private static final ListedMember SECOND = new ListedMember("b", "node-2", false, false, true);

    private static ListedMember own(boolean leads, boolean isCurrent) {
        return new ListedMember("c", "node-3", false, leads, isCurrent);
    }

    private static Seen seen(
            Optional<ListedMember> own,
            List<ListedMember> others,
            Optional<String> clients,
            boolean manifest,
            boolean runs,
            boolean data,
            boolean keys) {
        return new Seen(
                Evidence.known(new MembersSeen(own, others)),
                Evidence.known(clients),
                Evidence.known(manifest),
                Evidence.known(runs),
                Evidence.known(data),
                Evidence.known(keys),
                Optional.empty());
    }

    private static NextStep<Phase, Action> leaving(
            Optional<ListedMember> own, List<ListedMember> others, Optional<String> clients) {
        return MemberLeave.decide(seen(own, others, clients, true, true, true, true), Phase.LEAVING);
    }

    /** Also of three: of two that leave at once etcd takes one after the other, and both would be stopped. */
    @Test
    void itIsNoneBeforeItIsStopped() {
        List<ListedMember> others = List.of(FIRST, SECOND);
        assertThat(leaving(Optional.of(own(true, true)), others, Optional.empty())
                        .action())
                .hasValue(new Action.MoveLeader("a"));
        assertThat(leaving(Optional.of(own(false, true)), others, Optional.empty())
                        .action())
                .hasValue(new Action.Remove("c"));
        assertThat(leaving(Optional.of(own(false, false)), others, Optional.empty())
                        .action())
                .as("one that does not run")
                .hasValue(new Action.Remove("c"));
        assertThat(leaving(Optional.empty(), others, Optional.empty()).state()).isEqualTo(Phase.CLEARING);
    }

    @Test
    void nobodyIsCutOff() {
        NextStep<Phase, Action> step =
                leaving(Optional.of(own(false, true)), List.of(FIRST), Optional.of("10.0.0.1 (74 connections)"));
        assertThat(step.action()).isEmpty();
        assertThat(step.waitingFor() + step.detail())
                .isEqualTo(
                        "clients to leave it: run 'ouro change etcd-servers --without' with this member's name: 10.0.0.1 (74 connections)");
    }

    @Test
    void nothingIsDoneWhileAnotherOneIsNotWell() {
        ListedMember away = new ListedMember("b", "node-2", false, false, false);
        NextStep<Phase, Action> step = leaving(Optional.of(own(false, true)), List.of(FIRST, away), Optional.empty());
        assertThat(step.action()).isEmpty();
        assertThat(step.detail()).isEqualTo(": node-2 does not");
    }

    private static NextStep<Phase, Action> clearing(boolean manifest, boolean runs, boolean data, boolean keys) {
        return MemberLeave.decide(
                seen(Optional.empty(), List.of(), Optional.empty(), manifest, runs, data, keys), Phase.CLEARING);
    }

    @Test
    void itIsClearedAwayInOrder() {
        assertThat(clearing(true, true, true, true).action()).hasValue(new Action.Stop());
        assertThat(clearing(false, true, true, true).waitingFor()).isEqualTo("the end of the member");
        assertThat(clearing(false, false, true, true).action()).hasValue(new Action.SetAside());
        assertThat(clearing(false, false, false, true).action()).hasValue(new Action.RemoveKeys());
        assertThat(clearing(false, false, false, false).state()).isEqualTo(Phase.DONE);
    }

    @Test
    void unknownWaits() {
        Seen nothing = new Seen(
                Evidence.unknown("nobody"),
                Evidence.unknown("kernel"),
                Evidence.unknown("disk"),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Evidence.unknown(""),
                Optional.empty());
        assertThat(MemberLeave.decide(nothing, Phase.LEAVING).detail()).isEqualTo(": nobody");
        assertThat(MemberLeave.decide(nothing, Phase.CLEARING).detail()).isEqualTo(": disk");
        Seen blind = new Seen(
                Evidence.known(new MembersSeen(Optional.of(own(false, true)), List.of(FIRST))),
                Evidence.unknown("kernel"),
                Evidence.known(true),
                Evidence.known(true),
                Evidence.known(true),
                Evidence.known(true),
                Optional.empty());
        assertThat(MemberLeave.decide(blind, Phase.LEAVING).action()).isEmpty();
    }
}
