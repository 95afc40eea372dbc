package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.SavedSnapshot.KeySpaceCheck;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.disk.FreeSpace;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import dev.ouroboros.snapshot.etcd.EtcdFile;
import dev.ouroboros.snapshot.etcd.TrailingDigest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes a snapshot of a live etcd.
 *
 * <ol>
 *   <li>The first member that a majority is with (any, with {@link #ofLastMember}) sends its database, which goes to a file beside the one to be. A member that is cut off
 *       from the others would answer too, with what it had when it was cut off.
 *   <li>That is verified: the SHA-256 behind it, every page of it, and the hash of its key space, which the same member is asked for at the
 *       same revision.
 *   <li>Only then it gets its name, synced, in place of an older snapshot.
 *   <li>Older ones of the same pattern go, beyond those that are to be kept.
 * </ol>
 *
 * <p>Until the third step nothing is there under the name but what was there before. Memory does not grow with the database.
 */
public final class SnapshotSaver {
    /** One run per directory at a time; the file stays. */
    static final String LOCK = Disk.TEMPORARY_PREFIX + "snapshot.lock";

    static final String PARTIAL = Disk.TEMPORARY_PREFIX + "snapshot.partial";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private final Disk disk;
    private final InstantSource clock;
    private final Duration patience;
    private final boolean needsMajority;

    public SnapshotSaver(Disk disk, InstantSource clock) {
        this(disk, clock, PATIENCE);
    }

    /** @param patience how long a member may be silent */
    SnapshotSaver(Disk disk, InstantSource clock, Duration patience) {
        this(disk, clock, patience, true);
    }

    private SnapshotSaver(Disk disk, InstantSource clock, Duration patience, boolean needsMajority) {
        this.disk = disk;
        this.clock = clock;
        this.patience = patience;
        this.needsMajority = needsMajority;
    }

    /** One that takes what a member has although no majority is with it: of the last member of an etcd whose others are lost. */
    static SnapshotSaver ofLastMember(Disk disk, InstantSource clock) {
        return new SnapshotSaver(disk, clock, PATIENCE, false);
    }

    /**
     * Saves to a file.
     *
     * @param retention which of the snapshots of this pattern stay, this one included
     * @throws ProblemException why there is no new snapshot; what was there under the name is untouched
     */
    public SavedSnapshot save(EtcdServers servers, SnapshotName name, SnapshotRetention retention) {
        return save(servers, name, retention, Optional.empty());
    }

    /**
     * As {@link #save(EtcdServers, SnapshotName, SnapshotRetention)}, with the keys that its Secrets are encrypted with in a file beside it ({@link SnapshotName#keysOf}); all that is encrypted
     * is decrypted once.
     *
     * @param keys text of the API server's EncryptionConfiguration
     * @throws ProblemException as there, and when the text is no EncryptionConfiguration
     */
    public SavedSnapshot save(
            EtcdServers servers, SnapshotName name, SnapshotRetention retention, Optional<String> keys) {
        EncryptionConfiguration configuration = keys.map(
                        text -> EncryptionConfiguration.read(text, "the API server's EncryptionConfiguration"))
                .orElseGet(EncryptionConfiguration::none);
        Path target = name.at(clock.instant());
        boolean keepsNone = retention instanceof SnapshotRetention.Newest(int count) && count < 1;
        boolean keepsSome = !(retention instanceof SnapshotRetention.All);
        if (keepsNone || (keepsSome && !name.hasTime())) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--keep",
                    keepsNone ? "is less than 1" : "is given, and every snapshot would have the same name",
                    "at least 1, and a FILE with " + SnapshotName.TIME + " in its name",
                    "as in: etcd-" + SnapshotName.TIME + ".db");
        }
        checkTarget(target);
        try (ExclusiveLock _ = ExclusiveLock.acquire(name.directory().resolve(LOCK), "saving a snapshot there")) {
            return saveAlone(servers, name, target, retention, new Keys(keys, configuration));
        }
    }

    /**
     * What a snapshot's Secrets are encrypted with.
     *
     * @param text to be kept beside it
     */
    private record Keys(Optional<String> text, EncryptionConfiguration configuration) {}

    private SavedSnapshot saveAlone(
            EtcdServers servers, SnapshotName name, Path target, SnapshotRetention retention, Keys keys) {
        Path partial = name.directory().resolve(PARTIAL);
        OwnSnapshots own = new OwnSnapshots(disk, name.directory());
        try {
            Endpoint server = receive(servers, partial);
            Inspection inspection = verify(partial, keys.configuration());
            KeySpaceCheck check = compare(server, partial, inspection);
            String sum = OwnSnapshots.endOf(partial);
            if (name.hasTime()) {
                // Listed first, so that a killed run leaves no snapshot that is never removed.
                own.add(target.toFile().getName(), sum);
            }
            // Before the snapshot, so that one that is there has its keys.
            keys.text()
                    .ifPresent(text -> disk.write(
                            SnapshotName.keysOf(target), text.getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE));
            disk.rename(partial, target);
            OwnSnapshots.Retained retained = switch (retention) {
                case SnapshotRetention.All _ -> new OwnSnapshots.Retained(List.of(), List.of());
                case SnapshotRetention.Newest _, SnapshotRetention.Spread _ ->
                    own.retain(name, retention, target.toFile().getName());
            };
            return new SavedSnapshot(
                    target,
                    server.server(),
                    inspection.file().size(),
                    sum,
                    inspection,
                    check,
                    retained.removed(),
                    retained.remarks());
        } catch (ProblemException e) {
            removeQuietly(partial, e);
            throw e;
        }
    }

    /** What is there under the name may only be replaced when it is a snapshot too. */
    private void checkTarget(Path target) {
        Optional<FileStatus.Kind> directory = disk.status(
                        target.resolveSibling("").toAbsolutePath().normalize())
                .map(FileStatus::kind);
        if (directory.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND, target.toString(), "its directory does not exist", "", "make it first");
        }
        if (disk.status(target).isEmpty()) {
            return;
        }
        try (EtcdFile _ = EtcdFile.open(target)) {
            // It is a snapshot.
        } catch (ProblemException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.FOREIGN_FILE,
                            target.toString(),
                            "is there, and no etcd snapshot",
                            "a new name, or a snapshot to replace",
                            "save to another FILE, or move this one away"),
                    e);
        }
    }

    private Endpoint receive(EtcdServers servers, Path partial) {
        List<Problem> problems = new ArrayList<>();
        for (Endpoint server : servers.members()) {
            try (EtcdConnection etcd = EtcdConnection.open(server, patience)) {
                Optional<Problem> alone = needsMajority ? whyAlone(server, etcd) : Optional.empty();
                if (alone.isEmpty()) {
                    receive(etcd, partial);
                    return server;
                }
                problems.add(alone.get());
            } catch (IOException e) {
                problems.add(EtcdProblems.of(server, e));
            }
        }
        throw new ProblemException(problems);
    }

    private void receive(EtcdConnection etcd, Path partial) throws IOException {
        try (SnapshotStream stream = etcd.snapshot()) {
            disk.delete(partial);
            requireSpace(partial, stream.size());
            disk.write(partial, new byte[0], Disk.OWNER_ONLY_FILE);
            disk.append(partial, stream);
        }
    }

    /**
     * Why the member does not know what the others have agreed on; empty when it does. A snapshot and a hash are what the member itself
     * has, however old. The alarms come through the log of all: when they are told, a majority is there and the member has applied
     * everything that was agreed on before.
     */
    private static Optional<Problem> whyAlone(Endpoint server, EtcdConnection etcd) throws IOException {
        try {
            etcd.alarms();
            return Optional.empty();
        } catch (GrpcException e) {
            return Optional.of(EtcdProblems.withoutMajority(server, e));
        }
    }

    private void requireSpace(Path partial, long size) {
        FreeSpace.require(disk, partial.resolveSibling(""), size, "the snapshot", "make room, or save elsewhere");
    }

    private static Inspection verify(Path partial, EncryptionConfiguration keys) {
        Inspection inspection = SnapshotCheck.inspect(partial, keys);
        if (inspection.file().digest() == TrailingDigest.ABSENT) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    partial.toString(),
                    "what etcd sent ends without a SHA-256",
                    "a whole snapshot",
                    "take it again");
        }
        return inspection;
    }

    private KeySpaceCheck compare(Endpoint server, Path partial, Inspection inspection) {
        long revision = inspection.status().revision();
        if (inspection.liveKeys() == 0) {
            return new KeySpaceCheck.NotCompared("there is no key in it");
        }
        KeySpaceHash hash;
        try (EtcdConnection etcd = EtcdConnection.open(server, patience)) {
            hash = KeySpaceHash.at(revision, etcd, patience, partial);
        } catch (GrpcException e) {
            return new KeySpaceCheck.NotCompared(
                    e.status() == GrpcStatus.OUT_OF_RANGE
                            ? "etcd was compacted beyond revision " + revision + " meanwhile"
                            : EtcdProblems.of(server, e).describe());
        } catch (IOException e) {
            return new KeySpaceCheck.NotCompared(EtcdProblems.of(server, e).describe());
        }
        if (!hash.agrees()) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    "etcd " + server.server(),
                    "has another key space at revision " + revision + " (hash " + hash.theirs()
                            + ") than the snapshot that it sent (" + hash.ours() + ")",
                    "the same",
                    "its memory or its disk is damaged: compare its members with etcdctl endpoint hashkv");
        }
        return new KeySpaceCheck.Agrees(revision, hash.ours());
    }

    private void removeQuietly(Path partial, ProblemException reason) {
        try {
            disk.delete(partial);
        } catch (ProblemException e) {
            reason.addSuppressed(e);
        }
    }
}
