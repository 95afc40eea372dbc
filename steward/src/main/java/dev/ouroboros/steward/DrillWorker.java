package dev.ouroboros.steward;

import dev.ouroboros.etcd.SnapshotDriller;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.steward.decide.BackupReport;
import dev.ouroboros.steward.decide.BackupReport.Drill;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus;
import dev.ouroboros.steward.decide.DrillSchedule;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries a node's newest snapshot when a drill is due, on a thread of its own: a restore takes minutes, and nothing else is to wait for it. */
final class DrillWorker {
    private static final Logger LOG = LoggerFactory.getLogger(DrillWorker.class);
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final String node;
    private final SnapshotDriller driller;
    private final SnapshotDriller.Place place;
    private final Disk disk;
    private final Speaker speaker;
    private final StewardMetrics metrics;
    private final InstantSource clock;
    private final InstantSource wallClock;

    private final BackgroundTask task = new BackgroundTask("drill", this);
    private Optional<Instant> quietSince = Optional.empty();
    private Optional<Drill> last = Optional.empty();

    /**
     * For one node.
     *
     * @param clock that does not jump
     * @param wallClock for times that people read
     */
    DrillWorker(
            String node,
            SnapshotDriller driller,
            SnapshotDriller.Place place,
            Disk disk,
            Speaker speaker,
            StewardMetrics metrics,
            InstantSource clock,
            InstantSource wallClock) {
        this.node = node;
        this.driller = driller;
        this.place = place;
        this.disk = disk;
        this.speaker = speaker;
        this.metrics = metrics;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** Removes what a killed drill has left, also one of an earlier process, whether or not drills are wished. */
    synchronized void tidy() {
        if (!task.isWorking() && driller.isLeft(place)) {
            task.begin(this::clear, () -> {});
        }
    }

    /**
     * Begins a drill if one is due.
     *
     * @param interval from one drill to the next
     * @param newest snapshot of this node
     */
    synchronized void turn(
            ControlPlaneObject object, Optional<Duration> interval, Optional<BackupReport.Saved> newest) {
        if (quietSince.isEmpty()) {
            quietSince = Optional.of(clock.instant());
            last = ControlPlaneStatus.reportOf(object, node).flatMap(BackupReport::drill);
        }
        if (disk.status(place.manifest()).isEmpty()) {
            // On a node without a member there is no later drill that would replace this result.
            last = Optional.empty();
            return;
        }
        Duration running = Duration.between(quietSince.get(), clock.instant());
        boolean isDue = interval.filter(span -> DrillSchedule.isDue(span, last, running, wallClock.instant()))
                .isPresent();
        if (isDue && newest.isPresent() && !task.isWorking()) {
            Path file = Path.of(newest.get().file());
            task.begin(() -> drill(file), this::rest);
        }
    }

    synchronized boolean isWorking() {
        return task.isWorking();
    }

    /** The result of the last drill. */
    synchronized Optional<Drill> last() {
        return last;
    }

    private void rest() {
        quietSince = Optional.of(clock.instant());
    }

    private void clear() {
        try {
            driller.clear(place);
        } catch (ProblemException e) {
            // A drill that a person has begun holds the lock.
            LOG.info("component=steward event=drill-not-cleared reason=\"{}\"", Steward.describe(e));
        }
    }

    private void drill(Path file) {
        try {
            pass(driller.drill(file, disk.readText(SnapshotName.keysOf(file)), place, LIMIT));
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() == ErrorCode.LOCKED) {
                // Something else is done with this node's etcd; that says nothing about the snapshot.
                LOG.info("component=steward event=drill-postponed reason=\"{}\"", Steward.describe(e));
            } else {
                fail(file, Steward.describe(e));
            }
        }
    }

    private synchronized void pass(SnapshotDriller.Drill drill) {
        String message =
                drill.keys() + " keys at revision " + drill.revision() + " were restored, served and compared in "
                        + drill.served().toSeconds() + " s; " + drill.decrypted() + " encrypted objects were decrypted";
        last = Optional.of(new Drill(moment(), drill.file().toString(), true, message));
        LOG.info(
                "component=steward event=drill-passed file={} seconds={}",
                drill.file(),
                drill.served().toSeconds());
        metrics.drillPassed(moment());
        speaker.say(false, "DrillPassed", node + ": " + drill.file() + ": " + message);
    }

    private synchronized void fail(Path file, String why) {
        last = Optional.of(new Drill(moment(), file.toString(), false, why));
        LOG.error("component=steward event=drill-failed file={} reason=\"{}\"", file, why);
        metrics.drillFailed();
        speaker.say(true, "DrillFailed", node + ": " + why);
    }

    private Instant moment() {
        return wallClock.instant().truncatedTo(ChronoUnit.SECONDS);
    }
}
