package dev.ouroboros.etcd.membership.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.Action;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.Defragment;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.MoveLeader;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.Seen;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.State;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.procedure.NextStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class MemberDefragmentationTest {
    private static final List<String> ALL = List.of("a", "b", "c");

    private static Seen seen(String leader, String lagging, List<String> ids) {
        List<ListedMember> members = ids.stream()
                .map(id -> new ListedMember(id, "node-" + id, false, id.equals(leader), !id.equals(lagging)))
                .toList();
        return new Seen(Evidence.known(new MembersSeen(Optional.empty(), members)), Optional.empty());
    }

    private static MemberDefragmentation of(List<String> asked) {
        return new MemberDefragmentation(new TreeSet<>(asked));
    }

    /** As the members do what they are asked. */
    private static List<Action> allActions(MemberDefragmentation decisions, String firstLeader, List<String> ids) {
        List<Action> taken = new ArrayList<>();
        State state = State.initial();
        String leader = firstLeader;
        while (true) {
            NextStep<State, Action> next = decisions.decide(seen(leader, "", ids), state);
            if (next.ended()) {
                return taken;
            }
            Action action = next.action().orElseThrow();
            taken.add(action);
            switch (action) {
                case Defragment(String member) -> state = state.with(member);
                case MoveLeader(var _, String to) -> leader = to;
            }
        }
    }

    @Test
    void theLeaderComesLastAndDoesNotLeadThen() {
        assertThat(allActions(of(ALL), "a", ALL))
                .containsExactly(
                        new Defragment("b"), new Defragment("c"), new MoveLeader("a", "b"), new Defragment("a"));
    }

    @Test
    void anOnlyMemberIsDefragmentedAlthoughItLeads() {
        assertThat(allActions(of(List.of("a")), "a", List.of("a"))).containsExactly(new Defragment("a"));
    }

    @Test
    void noneThatWasNotAskedForIsTouched() {
        assertThat(allActions(of(List.of("c")), "a", ALL)).containsExactly(new Defragment("c"));
    }

    @Test
    void aMemberIsWaitedForThatDoesNotFollow() {
        NextStep<State, Action> next =
                of(ALL).decide(seen("a", "c", ALL), State.initial().with("b"));
        assertThat(next.action()).isEmpty();
        assertThat(next.waitingFor() + next.detail()).isEqualTo("all members to follow the leader: node-c does not");
    }

    @Test
    void nothingIsDoneWhileEtcdDoesNotAnswer() {
        Seen silent = new Seen(Evidence.unknown("it has no leader"), Optional.empty());
        NextStep<State, Action> next = of(ALL).decide(silent, State.initial());
        assertThat(next.action()).isEmpty();
        assertThat(next.ended()).isFalse();
    }
}
