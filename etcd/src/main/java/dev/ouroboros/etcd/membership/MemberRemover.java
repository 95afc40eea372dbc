package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.MemberChanges;
import dev.ouroboros.etcd.membership.decide.MemberRemoval;
import dev.ouroboros.etcd.membership.decide.MemberRemoval.Remove;
import dev.ouroboros.etcd.membership.decide.MemberRemoval.Seen;
import dev.ouroboros.etcd.membership.decide.MemberRemoval.State;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Takes a member that is lost off the list of an etcd, as {@link MemberRemoval} decides. Run again it goes on: nothing of it has to be remembered. */
public final class MemberRemover {
    private final InstantSource clock;
    private final ProcedureListener listener;

    /** @param clock that does not jump: limits are counted on it */
    public MemberRemover(InstantSource clock, ProcedureListener listener) {
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Removes a member.
     *
     * @param member its name or ID
     * @param limit how long one thing is waited for
     * @return how many members vote now
     * @throws ProblemException NOT_FOUND when there is none, CHANGE_REFUSED when it answers; TIMEOUT when the next call goes on
     */
    public int remove(String member, EtcdServers servers, Duration limit) {
        EtcdClusterSource source = new EtcdClusterSource(servers);
        EtcdMember lost = find(member, source.look());
        new Patience(listener, limit, clock).run(new Work(lost, servers), Journal.none(), State.initial());
        return source.look().voters().size();
    }

    /** @throws ProblemException NOT_FOUND when there is none, or more than one of this name */
    static EtcdMember find(String asked, EtcdCluster cluster) {
        List<EtcdMember> found = cluster.members().stream()
                .filter(member -> member.id().equals(asked) || member.name().equals(asked))
                .toList();
        if (found.size() != 1) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    "member " + asked,
                    found.isEmpty() ? "is none of etcd's" : "is the name of " + found.size(),
                    "one of "
                            + cluster.members().stream()
                                    .map(member -> member.id() + " " + member.name())
                                    .toList(),
                    "see ouro etcd status");
        }
        return found.getFirst();
    }

    private final class Work implements Procedure<State, Seen, Remove> {
        private final MemberRemoval decisions;
        private final EtcdMember lost;
        private final MembershipSource source;
        private final MemberChanges changes;
        private Optional<Problem> refusal = Optional.empty();

        Work(EtcdMember lost, EtcdServers servers) {
            this.decisions = new MemberRemoval(lost.title());
            this.lost = lost;
            this.source = new MembershipSource(servers);
            this.changes = new MemberChanges(servers);
        }

        @Override
        public Seen look(State state) {
            Evidence<EtcdCluster> cluster = source.cluster();
            Seen seen = new Seen(
                    cluster.flatMap(known -> MembershipSource.members(known, this::isLost)),
                    cluster.is(known -> MembershipSource.answers(known, lost)),
                    refusal);
            refusal = Optional.empty();
            return seen;
        }

        private boolean isLost(EtcdMember member) {
            return member.id().equals(lost.id());
        }

        @Override
        public NextStep<State, Remove> decide(Seen seen, State state, Instant now) {
            return decisions.decide(seen, state, now);
        }

        @Override
        public State perform(Remove action, State state) {
            try {
                changes.remove(action.member());
                listener.did("member " + lost.title() + " is removed");
            } catch (ProblemException e) {
                refusal = Optional.of(e.problems().getFirst());
            }
            return state;
        }
    }
}
