package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.SnapshotDrill;
import dev.ouroboros.etcd.decide.SnapshotDrill.State;
import dev.ouroboros.etcd.decide.SnapshotDrillPod;
import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Tries whether a snapshot would bring the cluster back, on a node with a member of etcd: all of it is read, everything that is encrypted is decrypted, etcd's own tool restores it, and an etcd serves it, whose key space is
 * compared with the file ({@link SnapshotDrill}). Nothing that runs is touched, and nothing is left of it. It may be killed at any instruction: the next drill clears away what it left.
 */
public final class SnapshotDriller {
    private static final Duration CLEARING = Duration.ofMinutes(5);

    private final Disk disk;
    private final ContainerRuntime runtime;
    private final InstantSource clock;
    private final ProcedureListener listener;

    /** @param clock that does not jump: limits are counted on it */
    public SnapshotDriller(Disk disk, ContainerRuntime runtime, InstantSource clock, ProcedureListener listener) {
        this.disk = disk;
        this.runtime = runtime;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * On which node.
     *
     * @param manifest of its member of etcd, where the kubelet looks for it
     * @param state where locks and the drill's data lie
     */
    public record Place(Path manifest, Path state) {}

    /**
     * What came of it.
     *
     * @param keys that have a value
     * @param decrypted how many objects were decrypted: all that are encrypted, but for what a KMS encrypts
     * @param served how long it took from the snapshot to an etcd that had been compared
     */
    public record Drill(Path file, long bytes, long revision, long keys, long decrypted, Duration served) {}

    /**
     * Tries a snapshot.
     *
     * @param keys text of the EncryptionConfiguration with which its Secrets are encrypted
     * @param limit how long it may take until the restored etcd serves
     * @throws ProblemException why the snapshot would not bring the cluster back, or why that could not be tried
     */
    public Drill drill(Path snapshot, Optional<String> keys, Place place, Duration limit) {
        EncryptionConfiguration configuration = keys.map(
                        text -> EncryptionConfiguration.read(text, "the EncryptionConfiguration"))
                .orElseGet(EncryptionConfiguration::none);
        Path file = snapshot.toAbsolutePath().normalize();
        EtcdMemberPod member = member(place)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        place.manifest().toString(),
                        "does not exist: this node has no member of etcd",
                        "a node with a member, whose image, flags and keys the drill's etcd has",
                        "run it there; on another machine 'ouro up --snapshot' makes the whole cluster of a snapshot"));
        String tool = tool(member);
        Inspection inspection = read(file, configuration);
        try (ExclusiveLock _ = lock(place)) {
            requireIdle(place);
            clearLeft(place);
            requireRoom(place, inspection.file().size());
            Instant begun = clock.instant();
            SnapshotDrillPod pod = new SnapshotDrillPod(
                    member, directory(place), Long.toString(begun.toEpochMilli(), Character.MAX_RADIX));
            State end = runAndLeave(
                    place,
                    new SnapshotDrillWork.Subject(pod, file, inspection.status().revision(), tool),
                    limit);
            if (end.failure().isPresent()) {
                throw new ProblemException(end.failure().get());
            }
            return new Drill(
                    file,
                    inspection.file().size(),
                    inspection.status().revision(),
                    inspection.liveKeys(),
                    inspection.decrypted(),
                    Duration.between(begun, clock.instant()));
        }
    }

    /** Whether there is anything of a drill: of one that is under way, or of one that was killed. */
    public boolean isLeft(Place place) {
        SnapshotDrillWork.Place drill = inPlace(place);
        return disk.status(drill.manifest()).isPresent()
                || disk.status(drill.data()).isPresent();
    }

    /**
     * Clears away what a drill that was killed has left, if there is anything. The node needs no member for it.
     *
     * @throws ProblemException LOCKED when a drill is under way, TIMEOUT when its etcd does not end
     */
    public void clear(Place place) {
        if (isLeft(place)) {
            try (ExclusiveLock _ = lock(place)) {
                clearLeft(place);
            }
        }
    }

    private void clearLeft(Place place) {
        if (isLeft(place)) {
            run(place, Optional.empty(), CLEARING, State.leaving());
        }
    }

    /** Whatever ends it, nothing of it stays. */
    private State runAndLeave(Place place, SnapshotDrillWork.Subject subject, Duration limit) {
        try {
            return run(place, Optional.of(subject), limit, State.initial());
        } catch (ProblemException e) {
            try {
                run(place, Optional.empty(), CLEARING, State.leaving());
            } catch (ProblemException other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    private State run(Place place, Optional<SnapshotDrillWork.Subject> subject, Duration limit, State begun) {
        SnapshotDrillWork work = new SnapshotDrillWork(
                new SnapshotDrill(subject.map(tried -> tried.file().toString()).orElse(""), limit),
                inPlace(place),
                subject,
                disk,
                runtime,
                listener::did);
        // The drill itself gives up after the limit, and clears away then.
        return new Patience(listener, limit.plus(CLEARING), clock).run(work, Journal.none(), begun);
    }

    private static SnapshotDrillWork.Place inPlace(Place place) {
        return new SnapshotDrillWork.Place(
                place.manifest().resolveSibling("drill-etcd.yaml"), SnapshotDrillPod.data(directory(place)));
    }

    private Optional<EtcdMemberPod> member(Place place) {
        return disk.readText(place.manifest())
                .map(text -> EtcdMemberPod.of(place.manifest().toString(), text));
    }

    private static String tool(EtcdMemberPod member) {
        KubernetesVersion version = member.etcd()
                .version()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.UNSUPPORTED_CLUSTER,
                        member.file() + ": image",
                        "is " + member.image() + ", whose tag is no version: its tool that restores is not known",
                        "a tag that begins with etcd's version",
                        "restore by hand: etcdctl snapshot restore, and an etcd on what that made"));
        return new EtcdTools().restoring(version).getFirst();
    }

    private static Inspection read(Path file, EncryptionConfiguration keys) {
        Inspection inspection = SnapshotCheck.inspect(file, keys);
        if (inspection.file().digest() != TrailingDigest.RIGHT) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    file.toString(),
                    inspection.file().digest() == TrailingDigest.WRONG
                            ? "was changed since it was saved: its SHA-256 is another"
                            : "ends without a SHA-256: it was cut off, or is the database of a data directory",
                    "a whole snapshot",
                    "take another one: ouro snapshot save");
        }
        List<Problem> unreadable = inspection.unreadableWith(keys);
        if (!unreadable.isEmpty()) {
            throw new ProblemException(unreadable);
        }
        return inspection;
    }

    private static Path directory(Place place) {
        return place.state().resolve(StateLayout.DRILL);
    }

    private ExclusiveLock lock(Place place) {
        disk.createDirectories(directory(place), Disk.OWNER_ONLY_DIRECTORY);
        return ExclusiveLock.acquire(directory(place).resolve("lock"), "a drill");
    }

    private void requireIdle(Place place) {
        UnfinishedChange.requireNone(
                disk,
                place.state(),
                List.of(UnfinishedChange.values()),
                place.manifest().toString());
        UnfinishedChange.requireNoStart(disk, place.state());
    }

    /** The tool copies the database, and etcd writes to the copy; the disk may be the member's, too. */
    private void requireRoom(Place place, long bytes) {
        FreeSpace.require(
                disk,
                directory(place),
                2 * bytes + EtcdRoom.BESIDE_DATABASE,
                "a restored snapshot and its etcd",
                "make room");
    }
}
