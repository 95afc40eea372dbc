package dev.ouroboros.etcd.membership.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Decides which member of etcd writes its database anew next. Pure. Requests that need its database wait meanwhile, and it may be lost
 * by it: so one after the other, each when all that vote follow the leader, and the leader last, after another one leads, as every write of the cluster goes over it.
 */
public final class MemberDefragmentation {
    private final SortedSet<String> asked;

    /** @param asked IDs of members */
    public MemberDefragmentation(SortedSet<String> asked) {
        this.asked = Collections.unmodifiableSortedSet(new TreeSet<>(asked));
    }

    /** @param done IDs of members whose database was written anew */
    public record State(SortedSet<String> done) {
        public State {
            done = Collections.unmodifiableSortedSet(new TreeSet<>(done));
        }

        public static State initial() {
            return new State(new TreeSet<>());
        }

        public State with(String member) {
            SortedSet<String> more = new TreeSet<>(done);
            more.add(member);
            return new State(more);
        }
    }

    /** @param refusal why another member does not lead yet */
    public record Seen(Evidence<MembersSeen> members, Optional<Problem> refusal) {}

    /** What can be done. */
    public sealed interface Action {}

    /** @param member ID in hexadecimal */
    public record Defragment(String member) implements Action {}

    /** IDs in hexadecimal. */
    public record MoveLeader(String from, String to) implements Action {}

    public NextStep<State, Action> decide(Seen seen, State state) {
        if (state.done().containsAll(asked)) {
            return NextStep.end(state);
        }
        if (!(seen.members() instanceof Known<MembersSeen>(MembersSeen members))) {
            String why = seen.members() instanceof Unknown<MembersSeen>(String reason) ? ": " + reason : "";
            return NextStep.await(state, "an answer of etcd", why);
        }
        Optional<ListedMember> lagging = members.otherVoterThatLags();
        if (lagging.isPresent()) {
            return NextStep.await(
                    state,
                    "all members to follow the leader",
                    ": " + lagging.get().title() + " does not");
        }
        List<ListedMember> left = members.others().stream()
                .filter(member -> asked.contains(member.id()) && !state.done().contains(member.id()))
                .toList();
        if (left.isEmpty()) {
            return NextStep.await(state, "the member to be on the list again", "");
        }
        Optional<ListedMember> follower =
                left.stream().filter(member -> !member.isLeader()).findFirst();
        if (follower.isPresent()) {
            return NextStep.act(state, new Defragment(follower.get().id()));
        }
        String leader = left.getFirst().id();
        return members.others().stream()
                .filter(member -> !member.isLearner() && !member.isLeader())
                .findFirst()
                .map(other -> NextStep.<State, Action>act(state, new MoveLeader(leader, other.id()))
                        .awaiting("member " + other.title() + " to lead")
                        .afterRefusal(seen.refusal()))
                .orElseGet(() -> NextStep.act(state, new Defragment(leader)));
    }
}
