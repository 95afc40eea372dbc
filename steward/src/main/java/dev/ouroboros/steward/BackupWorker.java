package dev.ouroboros.steward;

import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.steward.decide.BackupPolicy;
import dev.ouroboros.steward.decide.BackupReport;
import dev.ouroboros.steward.decide.BackupSchedule;
import dev.ouroboros.steward.decide.BackupSchedule.Past;
import dev.ouroboros.steward.decide.BackupSchedule.Turn;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Saves the snapshots of one node when they are due, each on a thread of its own: one of gigabytes takes minutes, and nothing else is to wait for it. */
final class BackupWorker {
    private static final Logger LOG = LoggerFactory.getLogger(BackupWorker.class);

    private final String node;
    private final EtcdBackups backups;
    private final Speaker speaker;
    private final StewardMetrics metrics;
    private final InstantSource clock;
    private final InstantSource wallClock;

    private final BackgroundTask task = new BackgroundTask("backup", this);
    /** Why the save that is under way, or was the last, failed; empty text when it did not. */
    private String failed = "";

    private boolean begun;
    private Optional<Instant> tried = Optional.empty();
    private Optional<BackupReport.Failure> failure = Optional.empty();
    private Optional<BackupReport.Saved> saved = Optional.empty();

    /**
     * For one node.
     *
     * @param clock that does not jump
     * @param wallClock for times that people read
     */
    BackupWorker(
            String node,
            EtcdBackups backups,
            Speaker speaker,
            StewardMetrics metrics,
            InstantSource clock,
            InstantSource wallClock) {
        this.node = node;
        this.backups = backups;
        this.speaker = speaker;
        this.metrics = metrics;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** Begins to save a snapshot if one is due. */
    synchronized void turn(WishSource.Seen now, BackupPolicy policy) {
        if (task.isWorking()) {
            return;
        }
        rememberFailure(now);
        try {
            saved = backups.newest(now.id()).map(newest -> withDetails(newest, now.object()));
        } catch (ProblemException e) {
            fail(Steward.describe(e));
            return;
        }
        saved.ifPresent(newest -> metrics.newest(newest.at(), newest.bytes()));
        Past past = new Past(
                saved.map(BackupReport.Saved::at),
                failure.map(BackupReport.Failure::since),
                tried.map(moment -> Duration.between(moment, clock.instant())));
        switch (BackupSchedule.turn(policy, node, now.ready(), past, wallClock.instant())) {
            case Turn.Due() -> begin(now, policy);
            case Turn.Waits() -> {}
            case Turn.NotHere() -> failure = Optional.empty();
        }
    }

    /** Takes the last failure from the status: a process that ended because of it must not try again at once. */
    private void rememberFailure(WishSource.Seen now) {
        if (begun) {
            return;
        }
        begun = true;
        failure = now.object()
                .flatMap(object -> ControlPlaneStatus.reportOf(object, node))
                .flatMap(BackupReport::failure);
        tried = failure.map(_ -> clock.instant());
    }

    /** The snapshot with what is known of it beyond its file: by this process, or by the one before it as the status says. */
    private BackupReport.Saved withDetails(BackupReport.Saved newest, Optional<ControlPlaneObject> object) {
        return saved.filter(known -> known.file().equals(newest.file()))
                .or(() -> object.flatMap(told -> ControlPlaneStatus.reportOf(told, node))
                        .flatMap(BackupReport::saved)
                        .filter(known -> known.file().equals(newest.file())))
                .orElse(newest);
    }

    private void begin(WishSource.Seen now, BackupPolicy policy) {
        tried = Optional.of(clock.instant());
        failed = "it ended as nobody expected: see the steward's log";
        task.begin(() -> save(now, policy), this::end);
    }

    private void save(WishSource.Seen now, BackupPolicy policy) {
        try {
            EtcdCluster etcd = backups.members(now.etcdServers());
            BackupReport.Saved done = backups.save(now.id(), etcd, now.etcdServers(), policy.retention(), keys(now));
            succeed(done);
        } catch (ProblemException e) {
            failBecause(Steward.describe(e));
        }
    }

    private static Optional<String> keys(WishSource.Seen now) {
        return switch (now.encryptionConfig()) {
            case Known<Optional<String>>(Optional<String> known) -> known;
            case Unknown<Optional<String>>(String why) -> {
                LOG.warn("component=steward event=keys-unknown reason=\"{}\"", why);
                yield Optional.empty();
            }
        };
    }

    private synchronized void failBecause(String why) {
        failed = why;
    }

    private synchronized void succeed(BackupReport.Saved done) {
        failed = "";
        saved = Optional.of(done);
        metrics.newest(done.at(), done.bytes());
        LOG.info("component=steward event=backup-saved file={} bytes={}", done.file(), done.bytes());
        if (failure.isPresent()) {
            speaker.say(false, "BackupSaved", node + ": snapshots are saved again: " + done.file());
        }
        failure = Optional.empty();
    }

    private void end() {
        if (!failed.isEmpty()) {
            fail(failed);
        }
    }

    private void fail(String message) {
        Instant since = failure.map(BackupReport.Failure::since)
                .orElseGet(() -> wallClock.instant().truncatedTo(ChronoUnit.SECONDS));
        boolean isNew = failure.filter(known -> known.message().equals(message)).isEmpty();
        failure = Optional.of(new BackupReport.Failure(since, message));
        if (isNew) {
            LOG.error("component=steward event=backup-failed reason=\"{}\"", message);
            speaker.say(true, "BackupFailed", node + ": " + message);
        }
        metrics.failed();
    }

    synchronized boolean isSaving() {
        return task.isWorking();
    }

    /** The newest snapshot that is here. */
    synchronized Optional<BackupReport.Saved> saved() {
        return saved;
    }

    /** What the status is to say of this node's snapshots; empty when it says nothing yet and there is nothing to say. */
    synchronized Optional<BackupReport> report(
            ControlPlaneObject object, Optional<BackupReport.Drill> drill, Optional<BackupReport.Mirror> mirror) {
        if (!begun) {
            // What the former process reported is still right.
            return Optional.empty();
        }
        boolean isTold = ControlPlaneStatus.reportOf(object, node).isPresent();
        return saved.isPresent() || failure.isPresent() || isTold
                ? Optional.of(new BackupReport(node, saved, failure, drill, mirror))
                : Optional.empty();
    }
}
