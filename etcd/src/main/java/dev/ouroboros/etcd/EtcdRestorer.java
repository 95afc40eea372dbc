package dev.ouroboros.etcd;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.restore.EtcdPod;
import dev.ouroboros.core.restore.EtcdRestore;
import dev.ouroboros.core.restore.RestoreDecision;
import dev.ouroboros.core.restore.RestorePhase;
import dev.ouroboros.core.restore.RestoreState;
import dev.ouroboros.core.understudy.PodYaml;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.runtime.ContainerRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Puts the etcd that this node's kubelet runs back to a snapshot. The decisions are {@link EtcdRestore}'s; it may be killed at any instruction
 * and goes on when it is called again with the same snapshot.
 */
public final class EtcdRestorer {
    private static final Duration TICK = Duration.ofMillis(250);

    private final Disk disk;
    private final Processes processes;
    private final ContainerRuntime runtime;
    private final NodeServers servers;
    private final InstantSource clock;

    /** @param runtime of the containers on this node, which says when etcd's has ended */
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
     * Restores, unless a start that has not ended did so already. The caller holds start's lock, and keeps it until its control plane serves:
     * when it is free the node's keeper takes an etcd that is away for a control plane that is lost.
     *
     * @param consent called before a restore begins: throws when it must not
     * @return when the restore began: what etcd holds is older
     * @throws ProblemException why not; etcd then has its former data, or the next call goes on
     */
    public Instant restore(RestoreOptions options, Runnable consent, Consumer<RestoreEvent> listener)
            throws InterruptedException {
        String snapshot = sha256(options.snapshot());
        Path directory = directoryOf(options);
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        RestoreJournal journal = new RestoreJournal(disk, directory);
        Optional<RestoreState> unfinished = unfinished(journal, snapshot);
        if (unfinished.filter(state -> state.phase() == RestorePhase.DONE).isPresent()) {
            listener.accept(new RestoreEvent.WasRestored());
            return unfinished.get().begun();
        }
        if (unfinished.isEmpty()) {
            consent.run();
        }
        Path kept = directory.resolve(options.manifest().toFile().getName());
        EtcdPod etcd = etcd(options.manifest(), kept);
        RestoreTool tool = RestoreTool.find(processes, options.tool(), etcd);
        boolean checked = unfinished.isPresent() || SnapshotCheck.requireWhole(options.snapshot());
        RestoreState state = unfinished.map(this::resumed).orElseGet(() -> RestoreState.initial(freeMoment(etcd)));
        RestoreWork work =
                new RestoreWork(disk, processes, options, etcd, tool, runtime, servers, kept, checked, state.begun());
        run(new EtcdRestore(options.deadline()), journal, snapshot, state, work, listener, unfinished.isPresent());
        listener.accept(new RestoreEvent.Restored(
                work.places().aside(), disk.status(work.places().aside()).isPresent(), tool.raisesRevision()));
        return state.begun();
    }

    /** Ends what {@link #restore} began: the next call with the same snapshot restores it again. */
    public void forget(RestoreOptions options) {
        new RestoreJournal(disk, directoryOf(options)).remove();
    }

    private static Path directoryOf(RestoreOptions options) {
        return options.stateDirectory().resolve("restore");
    }

    private static Optional<RestoreState> unfinished(RestoreJournal journal, String snapshot) {
        Optional<RestoreJournal.Entry> entry = journal.read();
        if (entry.isEmpty() || entry.get().state().phase() == RestorePhase.FAILED) {
            return Optional.empty();
        }
        boolean done = entry.get().state().phase() == RestorePhase.DONE;
        if (entry.get().snapshot().equals(snapshot)) {
            return Optional.of(entry.get().state());
        }
        if (done) {
            return Optional.empty();
        }
        throw ProblemException.of(
                ErrorCode.LOCKED,
                "--etcd-snapshot",
                "the restore of another snapshot (SHA-256 " + entry.get().snapshot() + ") has begun and not ended",
                "that one",
                "run it again with that file; it goes on");
    }

    /** Now, or the next second whose names no other restore has taken: what that one set aside must not be taken for our own. */
    private Instant freeMoment(EtcdPod etcd) {
        Instant moment = clock.instant();
        while (isTaken(new RestorePlaces(Path.of(etcd.dataDirectory()), moment))) {
            moment = moment.plusSeconds(1);
        }
        return moment;
    }

    private boolean isTaken(RestorePlaces places) {
        return disk.status(places.aside()).isPresent()
                || disk.status(places.rejected()).isPresent();
    }

    /** A deadline counts from now; only what is stale is told by when etcd was well again. */
    private RestoreState resumed(RestoreState known) {
        return known.phase() == RestorePhase.REFRESHING
                ? known
                : new RestoreState(known.phase(), known.begun(), clock.instant(), known.failures());
    }

    private void run(
            EtcdRestore restore,
            RestoreJournal journal,
            String snapshot,
            RestoreState begin,
            RestoreWork work,
            Consumer<RestoreEvent> listener,
            boolean resumed)
            throws InterruptedException {
        RestoreState state = begin;
        journal.write(new RestoreJournal.Entry(snapshot, state));
        listener.accept(new RestoreEvent.Entered(state.phase(), resumed));
        String waiting = "";
        while (!state.phase().isFinal()) {
            RestoreDecision decision = restore.decide(work.look(state), state, clock.instant());
            boolean moves = !decision.state().equals(state);
            if (moves) {
                state = decision.state();
                journal.write(new RestoreJournal.Entry(snapshot, state));
                listener.accept(new RestoreEvent.Entered(state.phase(), false));
            }
            RestoreState now = state;
            decision.action().ifPresent(action -> work.perform(action, now));
            if (!decision.waitingFor().equals(waiting)) {
                waiting = decision.waitingFor();
                listener.accept(new RestoreEvent.Waiting(waiting));
            }
            if (!moves && (decision.action().isEmpty() || !waiting.isEmpty() || work.refused())) {
                Thread.sleep(TICK);
            }
        }
        work.tidy();
        if (state.phase() == RestorePhase.FAILED) {
            throw new ProblemException(state.failures());
        }
    }

    private EtcdPod etcd(Path manifest, Path kept) {
        String text = disk.readText(manifest)
                .or(() -> disk.readText(kept))
                .orElseThrow(
                        () -> ProblemException.of(
                                ErrorCode.NOT_FOUND,
                                manifest.toString(),
                                "does not exist",
                                "the manifest of the etcd that this node's kubelet runs",
                                "name it with --etcd-manifest; an etcd that the kubelet does not run is restored with its own tool"));
        return EtcdPod.of(manifest.toString(), PodYaml.parse(manifest.toString(), text));
    }

    private static String sha256(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[1 << 16];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                digest.update(piece, 0, read);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.NOT_FOUND,
                            file.toString(),
                            "cannot be read: " + e,
                            "a snapshot",
                            "give a file that 'ouro snapshot save' or etcdctl made, with --etcd-snapshot"),
                    e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
