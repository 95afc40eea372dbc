package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.EtcdAlarms;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.MemberChanges;
import dev.ouroboros.etcd.MemberMaintenance;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.Action;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.Defragment;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.MoveLeader;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.Seen;
import dev.ouroboros.etcd.membership.decide.MemberDefragmentation.State;
import dev.ouroboros.model.evidence.Evidence;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Has the members of an etcd write their databases anew without what is not in use, in the order of {@link MemberDefragmentation}. Run again after it was killed it begins anew, which does no harm.
 */
public final class MemberDefragmenter {
    /** As much as etcd's own quota allows: how long it takes goes by what is in use, and a liveness probe ends a member that says nothing for a minute and a half. */
    private static final long MOST_IN_USE = 2L << 30;

    private final InstantSource clock;
    private final ProcedureListener listener;

    /** @param clock that does not jump: limits are counted on it */
    public MemberDefragmenter(InstantSource clock, ProcedureListener listener) {
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * A member that was defragmented.
     *
     * @param bytesAfter empty when it did not say
     * @param took for how long requests waited that need its database
     */
    public record Defragmented(EtcdMember member, long bytesBefore, Optional<Long> bytesAfter, Duration took) {}

    /**
     * IDs of the members whose files are worth to be written anew, where nothing speaks against doing it without being asked: no alarm is raised, every member that votes follows the leader, its
     * release is one that this is safe with, and it has not so much in use that its liveness probe may end it meanwhile.
     */
    public static SortedSet<String> worthwhile(EtcdCluster cluster) {
        List<EtcdMember> fragmented = cluster.voters().stream()
                .filter(member -> cluster.statusOf(member)
                        .is(status -> status.isFragmented() && status.usedBytes() <= MOST_IN_USE))
                .toList();
        DefragmentationPreflight preflight = new DefragmentationPreflight(cluster);
        boolean isRefused = preflight.isFull() || preflight.refusal(fragmented).isPresent();
        return isRefused
                ? Collections.emptySortedSet()
                : fragmented.stream().map(EtcdMember::id).collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Defragments members one after the other. Of an etcd that has raised NOSPACE, what is older than the present is forgotten first, as API servers cannot do that any more, and the alarm is
     * taken back: etcd raises it again where there is still no space.
     *
     * @param asked names or IDs; empty for every member that votes
     * @param limit how long one thing is waited for, and how long one member may take
     * @return what was done, in this order
     * @throws ProblemException NOT_FOUND when there is no such member; CHANGE_REFUSED before anything is done: of a member that votes and does not follow the leader, a learner, a release of etcd that
     *     this is not safe with, data that are said to differ, and of some of the members only while NOSPACE is raised; ETCD_REFUSED or ETCD_UNAVAILABLE with what a member says that could not do it, TIMEOUT: the next call begins
     *     anew
     */
    public List<Defragmented> defragment(List<String> asked, EtcdServers servers, Duration limit) {
        EtcdCluster cluster = new EtcdClusterSource(servers).look();
        DefragmentationPreflight preflight = new DefragmentationPreflight(cluster);
        List<EtcdMember> members = asked.isEmpty()
                ? cluster.voters()
                : asked.stream().map(name -> MemberRemover.find(name, cluster)).toList();
        preflight.require(members);
        Work work = new Work(members, cluster, servers, limit);
        if (preflight.isFull()) {
            work.compact();
        }
        new Patience(listener, limit, clock).run(work, Journal.none(), State.initial());
        if (preflight.isFull()) {
            work.disarm();
        }
        return work.done();
    }

    private final class Work implements Procedure<State, Seen, Action> {
        private final MemberDefragmentation decisions;
        private final EtcdServers servers;
        private final MembershipSource source;
        private final MemberMaintenance maintenance;
        private final List<Defragmented> done = new ArrayList<>();
        private EtcdCluster last;
        private Optional<Problem> refusal = Optional.empty();

        Work(List<EtcdMember> members, EtcdCluster cluster, EtcdServers servers, Duration limit) {
            this.decisions = new MemberDefragmentation(
                    members.stream().map(EtcdMember::id).collect(Collectors.toCollection(TreeSet::new)));
            this.servers = servers;
            this.source = new MembershipSource(servers);
            this.maintenance = new MemberMaintenance(servers, limit);
            this.last = cluster;
        }

        List<Defragmented> done() {
            return List.copyOf(done);
        }

        @Override
        public Seen look(State state) {
            Evidence<EtcdCluster> cluster = source.cluster();
            last = cluster.orElse(last);
            Seen seen = new Seen(cluster.flatMap(known -> MembershipSource.members(known, _ -> false)), refusal);
            refusal = Optional.empty();
            return seen;
        }

        @Override
        public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
            return decisions.decide(seen, state);
        }

        @Override
        public State perform(Action action, State state) {
            switch (action) {
                case Defragment(String member) -> {
                    done.add(defragment(member(member)));
                    return state.with(member);
                }
                case MoveLeader(String from, String to) -> {
                    moveLeader(member(from), member(to));
                    return state;
                }
            }
        }

        /** What is decided about was seen by the last look. */
        private EtcdMember member(String id) {
            return last.members().stream()
                    .filter(member -> member.id().equals(id))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no member " + id));
        }

        private Defragmented defragment(EtcdMember member) {
            listener.waits("member " + member.title() + " to write its database anew", Duration.ZERO);
            Instant begun = clock.instant();
            MemberMaintenance.Defragmented sizes = maintenance.defragment(member);
            Duration took = Duration.between(begun, clock.instant());
            String after =
                    sizes.bytesAfter().map(bytes -> (bytes >> 10) + " KiB").orElse("a size that it did not say");
            listener.did("member " + member.title() + ": " + (sizes.bytesBefore() >> 10) + " KiB became " + after
                    + ", after " + took.toMillis() + " ms");
            return new Defragmented(member, sizes.bytesBefore(), sizes.bytesAfter(), took);
        }

        private void moveLeader(EtcdMember from, EtcdMember to) {
            try {
                new MemberChanges(servers.with(from)).moveLeader(to.id());
                listener.did("member " + to.title() + " leads");
            } catch (ProblemException e) {
                refusal = Optional.of(e.problems().getFirst());
            }
        }

        /** Each answers when its own file has forgotten it. */
        void compact() {
            long revision = last.following().stream()
                    .mapToLong(voter ->
                            last.statusOf(voter).map(EtcdMemberStatus::revision).orElse(0L))
                    .min()
                    .orElse(0);
            for (EtcdMember voter : last.voters()) {
                listener.waits(
                        "member " + voter.title() + " to forget what was before revision " + revision, Duration.ZERO);
                maintenance.compact(voter, revision);
            }
            listener.did("what was before revision " + revision + " is forgotten, as NOSPACE is raised");
        }

        /** Those too of members that are none any more. */
        void disarm() {
            for (Alarm alarm : EtcdAlarms.raised(servers)) {
                if (alarm.kind() == EtcdAlarms.Kind.NO_SPACE) {
                    maintenance.disarmNoSpace(last.voters().getFirst(), alarm.member());
                    listener.did("the alarm NOSPACE of member " + alarm.member() + " is taken back");
                }
            }
        }
    }
}
