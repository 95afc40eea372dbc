package dev.ouroboros.etcd.membership.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.util.Optional;

/**
 * Decides what a node does that is to run no member of etcd any more. Pure.
 *
 * <pre>
 * phase     does                                until                                 then
 * LEAVING   MoveLeader, Remove from the list    the others' list does not have it     CLEARING
 * CLEARING  Stop, SetAside, RemoveKeys          nothing runs, and the keys are gone   DONE
 * </pre>
 *
 * <ul>
 *   <li>It leaves the list before it ends: etcd takes such changes one after the other, so that of two members that leave at once the second one waits until the first one is gone.
 *   <li>A member that is taken off the list ends at once, with the requests that it has: it is not while a client is connected, or while it leads.
 *   <li>Nothing is done while one of the others does not follow the leader. The data stay on the node, under another name.
 *   <li>A member that the list does not have any more is only cleared away: somebody has removed it, as one that was lost.
 * </ul>
 */
public final class MemberLeave {
    private MemberLeave() {}

    /** Where it stands. */
    public enum Phase {
        LEAVING,
        /** The list does not have it: nobody is asked any more. */
        CLEARING,
        DONE
    }

    /**
     * What is seen.
     *
     * @param members as the others tell them; asked in LEAVING only
     * @param clients who is connected to the member, for people; empty when nobody is
     * @param manifest whether the kubelet has one of etcd
     * @param runs whether a container of it may run
     * @param data whether there are data of a member
     * @param keys whether there are keys of one
     * @param refusal why the last action came to nothing
     */
    public record Seen(
            Evidence<MembersSeen> members,
            Evidence<Optional<String>> clients,
            Evidence<Boolean> manifest,
            Evidence<Boolean> runs,
            Evidence<Boolean> data,
            Evidence<Boolean> keys,
            Optional<Problem> refusal) {}

    /** What can be done. */
    public sealed interface Action {
        /** @param member ID in hexadecimal, here and below */
        record MoveLeader(String member) implements Action {}

        record Remove(String member) implements Action {}

        /** Removes the manifest. */
        record Stop() implements Action {}

        /** Gives the data another name. */
        record SetAside() implements Action {}

        record RemoveKeys() implements Action {}
    }

    public static NextStep<Phase, Action> decide(Seen seen, Phase phase) {
        NextStep<Phase, Action> step = switch (phase) {
            case LEAVING ->
                switch (seen.members()) {
                    case Unknown<MembersSeen>(String why) ->
                        NextStep.await(phase, "an answer of the other members", ": " + why);
                    case Known<MembersSeen>(MembersSeen members) -> leave(members, seen, phase);
                };
            case CLEARING -> clear(seen, phase);
            case DONE -> NextStep.end(phase);
        };
        return step.afterRefusal(seen.refusal());
    }

    private static NextStep<Phase, Action> leave(MembersSeen members, Seen seen, Phase phase) {
        if (members.own().isEmpty()) {
            return NextStep.move(Phase.CLEARING);
        }
        ListedMember own = members.own().get();
        Optional<ListedMember> lagging = members.otherThatLags();
        if (lagging.isPresent()) {
            return NextStep.await(
                    phase,
                    "all other members to follow the leader",
                    ": " + lagging.get().title() + " does not");
        }
        if (!(seen.clients() instanceof Known<Optional<String>>(Optional<String> clients))) {
            return NextStep.await(phase, "the clients of etcd", seen.clients().because());
        }
        if (clients.isPresent()) {
            return NextStep.await(
                    phase,
                    "clients to leave it: run 'ouro change etcd-servers --without' with this member's name",
                    ": " + clients.get());
        }
        if (own.isLeader()) {
            return members.others().stream()
                    .filter(member -> !member.isLearner())
                    .findFirst()
                    .map(next -> act(phase, new Action.MoveLeader(next.id()), "another one to lead"))
                    .orElseGet(() -> NextStep.await(phase, "another member that votes"));
        }
        return act(phase, new Action.Remove(own.id()), "the member to leave the list");
    }

    private static NextStep<Phase, Action> clear(Seen seen, Phase phase) {
        if (!Evidence.isFalse(seen.manifest())) {
            return Evidence.isTrue(seen.manifest())
                    ? act(phase, new Action.Stop(), "the member to be stopped")
                    : NextStep.await(
                            phase, "a look at etcd's manifest", seen.manifest().because());
        }
        if (!Evidence.isFalse(seen.runs())) {
            return NextStep.await(phase, "the end of the member", seen.runs().because());
        }
        if (!Evidence.isFalse(seen.data())) {
            return Evidence.isTrue(seen.data())
                    ? act(phase, new Action.SetAside(), "its data to be set aside")
                    : NextStep.await(phase, "a look at etcd's data", seen.data().because());
        }
        if (!Evidence.isFalse(seen.keys())) {
            return Evidence.isTrue(seen.keys())
                    ? act(phase, new Action.RemoveKeys(), "its keys to be removed")
                    : NextStep.await(phase, "a look at etcd's keys", seen.keys().because());
        }
        return NextStep.move(Phase.DONE);
    }

    private static NextStep<Phase, Action> act(Phase phase, Action action, String awaited) {
        return NextStep.act(phase, action).awaiting(awaited);
    }
}
