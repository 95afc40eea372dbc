package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.etcd.decide.EtcdRestore;
import dev.ouroboros.etcd.decide.RestoreAction;
import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.etcd.decide.RestoreSeen;
import dev.ouroboros.etcd.decide.RestoreState;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.understudy.PodYaml;
import dev.ouroboros.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One restore of the etcd that this node's kubelet runs, step by step: the decisions are {@link EtcdRestore}'s, and what follows from one is in
 * the journal before it is acted on, so that what was killed anywhere goes on. It never waits itself: {@link EtcdRestorer} does, and the simulator's clock.
 */
public final class Restoration {
    private final Target target;
    private final Surroundings surroundings;
    private final Consumer<RestoreEvent> listener;
    private final RestoreJournal journal;
    private final Optional<RestoreState> before;
    private Optional<Work> work = Optional.empty();
    private String waiting = "";

    /**
     * What is restored from what.
     *
     * @param snapshot SHA-256 of the file, in hexadecimal: by this a restore that was interrupted is known
     * @param file where it is, for messages; empty when nobody needs to know
     * @param manifest of etcd, where the kubelet looks for it
     * @param stateDirectory of {@code start}
     * @param deadline for etcd's end, and, plus the kubelet's longest back-off, for etcd's health with the restored data
     * @param last empty for an etcd of one member
     */
    public record Target(
            String snapshot,
            String file,
            Path manifest,
            Path stateDirectory,
            Duration deadline,
            Optional<LastMember> last) {
        public Target(String snapshot, Path manifest, Path stateDirectory, Duration deadline) {
            this(snapshot, "", manifest, stateDirectory, deadline, Optional.empty());
        }

        Path directory() {
            return directoryIn(stateDirectory);
        }

        /** Where our copy of the manifest lies while the kubelet has none. */
        Path kept() {
            return directory().resolve(manifest.toFile().getName());
        }

        static Path directoryIn(Path stateDirectory) {
            return stateDirectory.resolve(StateLayout.RESTORE);
        }
    }

    /**
     * That the member to be restored was one of several, and is the last one.
     *
     * @param manifest text of the one with which it is started when it has the restored data
     * @param guard asked before etcd is ended, and before its data is set aside: throws when another one lives, and the restore is taken back
     */
    public record LastMember(String manifest, Runnable guard) {}

    /**
     * The node.
     *
     * @param runtime says when etcd's container has ended
     * @param kubeletRestart empty when nobody told how
     * @param clock that does not jump: deadlines are counted on it
     */
    public record Surroundings(
            Disk disk,
            ContainerRuntime runtime,
            Function<EtcdPod, EtcdProbe> probes,
            NodeServers servers,
            Optional<Runnable> kubeletRestart,
            InstantSource clock) {}

    private record Work(RestoreWork hands, ProcedureRun<RestoreState, RestoreSeen, RestoreAction> run) {}

    /** @throws ProblemException LOCKED while the restore of another snapshot that has touched etcd, or a change of etcd, has not ended */
    public Restoration(Target target, Surroundings surroundings, Consumer<RestoreEvent> listener) {
        this.target = target;
        this.surroundings = surroundings;
        this.listener = listener;
        List<UnfinishedChange> others = Arrays.stream(UnfinishedChange.values())
                .filter(change -> target.last().isEmpty() || change != UnfinishedChange.RECOVER)
                .toList();
        UnfinishedChange.requireNone(surroundings.disk(), target.stateDirectory(), others, "--etcd-snapshot");
        surroundings.disk().createDirectories(target.directory(), Disk.OWNER_ONLY_DIRECTORY);
        this.journal = new RestoreJournal(surroundings.disk(), target.directory());
        this.before = unfinished();
    }

    private Optional<RestoreState> unfinished() {
        Optional<RestoreJournal.Entry> entry = journal.read();
        Optional<RestoreState> same = entry.filter(found -> found.snapshot().equals(target.snapshot()))
                .map(RestoreJournal.Entry::state);
        if (same.isEmpty() && entry.isPresent() && entry.get().state().phase().isInBetween()) {
            String file = entry.get().file();
            throw ProblemException.of(
                    ErrorCode.LOCKED,
                    "--etcd-snapshot",
                    "the restore of another snapshot (" + (file.isEmpty() ? "" : file + ", ") + "SHA-256 "
                            + entry.get().snapshot() + ") has begun and not ended",
                    "that one",
                    "run it again with that file; it goes on, and then this one can be restored");
        }
        return same.filter(state -> state.phase() != RestorePhase.FAILED);
    }

    /** Forgets the restore: the next call with the same snapshot restores it again. */
    public static void forget(Disk disk, Path stateDirectory) {
        new RestoreJournal(disk, Target.directoryIn(stateDirectory)).remove();
    }

    /** As {@link #forget}, after a start that restored nothing: what has touched etcd and not ended stays, and goes on with its own command. */
    public static void forgetUnlessInBetween(Disk disk, Path stateDirectory) {
        RestoreJournal journal = new RestoreJournal(disk, Target.directoryIn(stateDirectory));
        journal.read().filter(entry -> !entry.state().phase().isInBetween()).ifPresent(_ -> journal.remove());
    }

    /** Whether it was interrupted after it may have touched etcd. Before that, all is asked for and looked at once more. */
    public boolean hasTouchedEtcd() {
        return before.filter(state -> state.phase() != RestorePhase.PREPARING).isPresent();
    }

    /** If it was done before, the moment at which it began. */
    public Optional<Instant> restoredBefore() {
        return before.filter(state -> state.phase() == RestorePhase.DONE).map(RestoreState::begun);
    }

    /** Removes what a finished restore left when it was killed, or its disk was full, at its very end. */
    public void tidy() {
        // Without a manifest, or with one that was changed since, nobody knows where the data is, and nothing has to be
        // restored.
        dataDirectory()
                .ifPresentOrElse(
                        data -> RestoreWork.tidy(surroundings.disk(), target, data),
                        () -> surroundings.disk().delete(target.kept()));
    }

    private Optional<Path> dataDirectory() {
        try {
            return Optional.of(Path.of(etcd().dataDirectory()));
        } catch (ProblemException e) {
            return Optional.empty();
        }
    }

    /** When the restore began: what etcd holds is older. */
    public Instant begun() {
        return work().run().state().begun();
    }

    /**
     * The etcd to be restored, of its manifest or of our copy.
     *
     * @throws ProblemException NOT_FOUND, or why it cannot be restored
     */
    public EtcdPod etcd() {
        Disk disk = surroundings.disk();
        String text = disk.readText(target.manifest())
                .or(() -> disk.readText(target.kept()))
                .orElseThrow(
                        () -> ProblemException.of(
                                ErrorCode.NOT_FOUND,
                                target.manifest().toString(),
                                "does not exist",
                                "the manifest of the etcd that this node's kubelet runs",
                                "name it with --etcd-manifest; an etcd that the kubelet does not run is restored with its own tool"));
        String file = target.manifest().toString();
        Pod pod = PodYaml.parse(
                file,
                text,
                ErrorCode.INVALID_CONFIG,
                "name the manifest of etcd's static pod with --etcd-manifest FILE");
        return target.last().isPresent() ? EtcdPod.ofMember(file, pod) : EtcdPod.of(file, pod);
    }

    /** Journals that the restore begins, or goes on. */
    public void begin(EtcdPod etcd, SnapshotUnpacker unpacker) {
        if (before.isEmpty()) {
            // Of another one that was interrupted before it touched etcd.
            RestoreWork.removeStaged(surroundings.disk(), Path.of(etcd.dataDirectory()));
        }
        RestoreState state = before.map(this::resumed).orElseGet(() -> RestoreState.initial(freeMoment(etcd)));
        RestoreWork hands = new RestoreWork(target, surroundings, etcd, unpacker, state.begun());
        write(state, before.isPresent());
        work = Optional.of(
                new Work(hands, new ProcedureRun<>(hands, next -> write(next, false), state, surroundings.clock())));
    }

    private void write(RestoreState state, boolean resumed) {
        journal.write(new RestoreJournal.Entry(target.snapshot(), target.file(), state));
        listener.accept(new RestoreEvent.Entered(state.phase(), resumed));
    }

    /** Deadlines count anew from now. */
    private RestoreState resumed(RestoreState known) {
        return new RestoreState(
                known.phase(), known.begun(), surroundings.clock().instant(), known.failures());
    }

    /** Now, or the next second whose names no other restore has used: data that another set aside must not pass for ours. */
    private Instant freeMoment(EtcdPod etcd) {
        Instant moment = surroundings.clock().instant();
        while (isTaken(new RestorePlaces(Path.of(etcd.dataDirectory()), moment))) {
            moment = moment.plusSeconds(1);
        }
        return moment;
    }

    private boolean isTaken(RestorePlaces places) {
        return surroundings.disk().status(places.aside()).isPresent()
                || surroundings.disk().status(places.rejected()).isPresent();
    }

    /**
     * Looks, decides and acts once.
     *
     * @throws ProblemException when it has failed: etcd has its former data
     */
    public StepOutcome step() {
        StepOutcome outcome = work().run().step();
        switch (outcome) {
            case StepOutcome.Moved(boolean _) -> tell("");
            case StepOutcome.Waits(String what, String _) -> tell(what);
            case StepOutcome.Ended() -> end(work().hands(), work().run().state());
        }
        return outcome;
    }

    private void tell(String waitingFor) {
        if (!waitingFor.equals(waiting)) {
            waiting = waitingFor;
            listener.accept(new RestoreEvent.Waiting(waiting));
        }
    }

    private void end(RestoreWork hands, RestoreState state) {
        RestoreWork.tidy(surroundings.disk(), target, hands.places().dataDirectory());
        if (state.phase() == RestorePhase.FAILED) {
            throw new ProblemException(state.failures());
        }
        Path aside = hands.places().aside();
        listener.accept(new RestoreEvent.Restored(
                aside, surroundings.disk().status(aside).isPresent(), hands.raisesRevision()));
    }

    private Work work() {
        return work.orElseThrow(() -> new IllegalStateException("a restore begins before it goes on"));
    }
}
