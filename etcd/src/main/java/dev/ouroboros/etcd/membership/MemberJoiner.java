package dev.ouroboros.etcd.membership;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.etcd.UnfinishedChange;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.membership.decide.MemberJoin;
import dev.ouroboros.etcd.membership.decide.MemberJoin.State;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Makes this node one with a member of etcd, when {@link MemberAdder} lets it: the steps are {@link MemberJoin}'s. It may be killed at any instruction and goes on when it is called again.
 */
public final class MemberJoiner {
    private final Disk disk;
    private final ContainerRuntime runtime;
    private final ClusterClient client;
    private final InstantSource clock;
    private final ProcedureListener listener;

    /**
     * For the joining of this node.
     *
     * @param client of the API, as this node's kubelet
     * @param clock that does not jump: deadlines are counted on it
     */
    public MemberJoiner(
            Disk disk,
            ContainerRuntime runtime,
            ClusterClient client,
            InstantSource clock,
            ProcedureListener listener) {
        this.disk = disk;
        this.runtime = runtime;
        this.client = client;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Where and how long.
     *
     * @param manifest of etcd, where the kubelet looks for it
     * @param limit how long one thing is waited for
     */
    public record Options(Path manifest, Path stateDirectory, Duration limit) {}

    /** What became of it. */
    public enum Outcome {
        JOINED,
        /** The node has a manifest of etcd already: nothing was done. */
        SAME
    }

    /**
     * Joins.
     *
     * @throws ProblemException COMPONENT_FAILED when it was not let, or not any more, and the node is as before; TIMEOUT when the next call goes on
     */
    public Outcome join(Options options) {
        try (ExclusiveLock _ = UnfinishedChange.lock(disk, options.stateDirectory())) {
            UnfinishedChange.requireNone(
                    disk,
                    options.stateDirectory(),
                    List.of(UnfinishedChange.CHANGE, UnfinishedChange.LEAVE),
                    options.manifest().toString());
            UnfinishedChange.requireNoStart(disk, options.stateDirectory());
            MemberJoinJournal journal =
                    new MemberJoinJournal(disk, UnfinishedChange.JOIN.directory(options.stateDirectory()));
            Optional<State> before = journal.read();
            if (before.isEmpty()) {
                Optional<String> manifest = disk.readText(options.manifest());
                if (manifest.isPresent()) {
                    requireMember(EtcdMemberPod.of(options.manifest().toString(), manifest.get()));
                    return Outcome.SAME;
                }
                journal.begin(
                        new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.system(), new SecureRandom()), "etcd-member");
            }
            return run(options, journal, before.orElseGet(State::initial));
        }
    }

    /** A machine that was lost comes back with its manifest, and its member is none any more. */
    private static void requireMember(EtcdMemberPod present) {
        boolean isListed =
                OwnCluster.ask(present, List.of()).members().stream().anyMatch(MembershipSource.at(present.peerUrls()));
        if (!isListed) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    present.file(),
                    "is of a member that etcd's list does not have any more",
                    "a node without a member",
                    "clear it away first: ouro etcd leave");
        }
    }

    private Outcome run(Options options, MemberJoinJournal journal, State begun) {
        MemberJoinWork work = new MemberJoinWork(
                disk, runtime, new MemberRequests(client), journal, options.manifest(), listener::did);
        State end = new Patience(listener, options.limit(), clock).run(work, journal, begun);
        if (end.failure().isEmpty()) {
            disk.delete(options.stateDirectory().resolve(StateLayout.ETCD_LEFT));
        }
        journal.end();
        end.failure().ifPresent(why -> {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "this node",
                    "did not become one with a member of etcd: " + why,
                    "a member that follows the leader",
                    "mend that, and run 'ouro etcd join' again");
        });
        return Outcome.JOINED;
    }
}
