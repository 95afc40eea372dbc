package dev.ouroboros.steward;

import dev.ouroboros.etcd.SnapshotMirror;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.steward.decide.BackupPolicy;
import dev.ouroboros.steward.decide.BackupReport;
import dev.ouroboros.steward.decide.BackupReport.Mirror;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies a node's newest snapshot to a volume that is mounted from elsewhere, on a thread of its own: an NFS server that does not answer holds up
 * every process that writes to it.
 */
final class MirrorWorker {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorWorker.class);
    private static final Duration RETRY = Duration.ofMinutes(1);

    private final String node;
    private final SnapshotMirror mirror;
    private final SnapshotName pattern;
    private final Speaker speaker;
    private final InstantSource clock;
    private final InstantSource wallClock;
    private final BackgroundTask task = new BackgroundTask("mirror", this);
    private boolean begun;
    private Optional<Instant> tried = Optional.empty();
    private Optional<Mirror> last = Optional.empty();

    /**
     * For one node.
     *
     * @param pattern of the names of snapshots
     * @param clock that does not jump
     * @param wallClock for times that people read
     */
    MirrorWorker(
            String node,
            SnapshotMirror mirror,
            SnapshotName pattern,
            Speaker speaker,
            InstantSource clock,
            InstantSource wallClock) {
        this.node = node;
        this.mirror = mirror;
        this.pattern = pattern;
        this.speaker = speaker;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /**
     * Begins to copy the newest snapshot if it is to be copied and was not yet.
     *
     * @param clusterId whose directory it is in
     */
    synchronized void turn(
            ControlPlaneObject object, BackupPolicy policy, String clusterId, Optional<BackupReport.Saved> newest) {
        if (!begun) {
            begun = true;
            last = ControlPlaneStatus.reportOf(object, node).flatMap(BackupReport::mirror);
        }
        if (!policy.isMirrored()) {
            last = Optional.empty();
            return;
        }
        boolean isCopied = last.filter(copied -> copied.failure().isEmpty())
                .flatMap(copied -> newest.filter(saved -> saved.file().equals(copied.file())))
                .isPresent();
        boolean rests =
                tried.filter(at -> at.plus(RETRY).isAfter(clock.instant())).isPresent();
        if (task.isWorking() || isCopied || rests || newest.isEmpty()) {
            return;
        }
        tried = Optional.of(clock.instant());
        Path snapshot = Path.of(newest.get().file());
        task.begin(() -> copy(snapshot, Path.of(clusterId, node), policy), () -> {});
    }

    /** How the last copy went; empty where no copies are wished. */
    synchronized Optional<Mirror> last() {
        return last;
    }

    private void copy(Path snapshot, Path below, BackupPolicy policy) {
        try {
            Path copy = mirror.copy(snapshot, below, pattern, policy.retention());
            succeed(snapshot, copy);
        } catch (ProblemException e) {
            fail(Steward.describe(e));
        }
    }

    private synchronized void succeed(Path snapshot, Path copy) {
        LOG.info("component=steward event=backup-mirrored file={}", copy);
        if (last.filter(before -> !before.failure().isEmpty()).isPresent()) {
            speaker.say(false, "BackupMirrored", node + ": snapshots are copied again: " + copy);
        }
        last = Optional.of(new Mirror(moment(), snapshot.toString(), ""));
    }

    private synchronized void fail(String why) {
        boolean isNew = last.filter(before -> before.failure().equals(why)).isEmpty();
        if (isNew) {
            LOG.error("component=steward event=mirror-failed reason=\"{}\"", why);
            speaker.say(true, "MirrorFailed", node + ": " + why);
        }
        last = Optional.of(last.map(before -> new Mirror(before.at(), before.file(), why))
                .orElseGet(() -> new Mirror(moment(), "", why)));
    }

    private Instant moment() {
        return wallClock.instant().truncatedTo(ChronoUnit.SECONDS);
    }
}
