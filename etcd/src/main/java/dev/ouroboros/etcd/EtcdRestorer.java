package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.runtime.ContainerRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Puts the etcd that this node's kubelet runs back to a snapshot. The steps are {@link Restoration}'s; it may be killed at any instruction
 * and goes on when it is called again with the same snapshot.
 */
public final class EtcdRestorer {
    private static final Duration TICK = Duration.ofMillis(250);

    private final Disk disk;
    private final Processes processes;
    private final ContainerRuntime runtime;
    private final NodeServers servers;
    private final InstantSource clock;

    /**
     * For the restores of one process.
     *
     * @param runtime of the containers on this node, which says when etcd's has ended
     * @param clock that does not jump: deadlines are counted on it
     */
    public EtcdRestorer(Disk disk, Processes processes, ContainerRuntime runtime, InstantSource clock) {
        this(disk, processes, runtime, new StaleServers(), clock);
    }

    EtcdRestorer(Disk disk, Processes processes, ContainerRuntime runtime, NodeServers servers, InstantSource clock) {
        this.disk = disk;
        this.processes = processes;
        this.runtime = runtime;
        this.servers = servers;
        this.clock = clock;
    }

    /**
     * Restores, unless a start that has not ended did so already. The caller holds start's lock, and keeps it until its control plane
     * serves: while the lock is free, the node's keeper takes a missing etcd for a lost control plane.
     *
     * @param consent called before a restore begins, and again where it goes on and has not touched etcd: throws when it must not
     * @return when the restore began: what etcd holds is older
     * @throws ProblemException why not; etcd then has its former data, or the next call goes on
     */
    public Instant restore(RestoreOptions options, Runnable consent, Consumer<RestoreEvent> listener)
            throws InterruptedException {
        return restore(options, Optional.empty(), consent, listener);
    }

    /** As {@link #restore}, of an etcd of several members of which this node's is the last one. Its control plane is there: the lock may be given back at the end. */
    void restoreLast(RestoreOptions options, Restoration.LastMember last, Consumer<RestoreEvent> listener)
            throws InterruptedException {
        restore(options, Optional.of(last), () -> {}, listener);
    }

    private Instant restore(
            RestoreOptions options,
            Optional<Restoration.LastMember> last,
            Runnable consent,
            Consumer<RestoreEvent> listener)
            throws InterruptedException {
        Restoration restoration = new Restoration(
                new Restoration.Target(
                        sha256(options.snapshot()),
                        options.snapshot().toAbsolutePath().toString(),
                        options.manifest(),
                        options.stateDirectory(),
                        options.deadline(),
                        last),
                surroundings(options),
                listener);
        Optional<Instant> restored = restoration.restoredBefore();
        if (restored.isPresent()) {
            restoration.tidy();
            listener.accept(new RestoreEvent.WasRestored());
            return restored.get();
        }
        if (!restoration.hasTouchedEtcd()) {
            consent.run();
        }
        EtcdPod etcd = restoration.etcd();
        if (!restoration.hasTouchedEtcd() && last.isEmpty()) {
            requireNoneAdded(options);
        }
        RestoreTool tool = RestoreTool.find(processes, options.tool(), etcd);
        // What has touched etcd has unpacked the file already.
        boolean checked = restoration.hasTouchedEtcd() || SnapshotCheck.requireWhole(options.snapshot());
        restoration.begin(etcd, tool.of(options.snapshot(), checked, etcd));
        StepOutcome outcome;
        do {
            outcome = restoration.step();
            if (outcome instanceof StepOutcome.Waits) {
                Thread.sleep(TICK);
            }
        } while (!(outcome instanceof StepOutcome.Ended));
        return restoration.begun();
    }

    /**
     * The manifest of the member with which a cluster began names only itself, also when others were added since.
     *
     * @throws ProblemException UNSUPPORTED_CLUSTER when there were
     */
    private void requireNoneAdded(RestoreOptions options) {
        Path mark = options.stateDirectory().resolve(StateLayout.ETCD_MEMBERS_ADDED);
        if (disk.status(mark).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "--etcd-snapshot",
                    "members were added to the etcd of this node (" + mark
                            + "): a snapshot restored on one of them would leave the others with what was before",
                    "an etcd of one member",
                    "see ouro etcd status. Where all others are lost for good with their disks, ouro etcd recover keeps what was written since the snapshot; when they have left, remove that file");
        }
    }

    private Restoration.Surroundings surroundings(RestoreOptions options) {
        return new Restoration.Surroundings(
                disk,
                runtime,
                etcd -> new HttpEtcdProbe(etcd, Listeners.ofThisMachine()),
                servers,
                options.kubeletRestart().map(this::shell),
                clock);
    }

    private Runnable shell(String command) {
        return () -> processes.run(Command.of("/bin/sh", "-c", command)).orThrow();
    }

    /** Ends what {@link #restore} began: the next call with the same snapshot restores it again. */
    public void forget(RestoreOptions options) {
        Restoration.forget(disk, options.stateDirectory());
    }

    /** Of a snapshot, in hexadecimal: by it a restore knows its own. */
    public static String sha256(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return Sha256.hex(in);
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.NOT_FOUND,
                            file.toString(),
                            "cannot be read: " + FileTrouble.reason(e),
                            "a snapshot",
                            "give a file that 'ouro snapshot save' or etcdctl made, with --etcd-snapshot"),
                    e);
        }
    }
}
