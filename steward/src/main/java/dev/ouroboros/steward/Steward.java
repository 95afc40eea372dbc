package dev.ouroboros.steward;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.EventRecorder.About;
import dev.ouroboros.api.EventRecorder.Said;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.steward.decide.BackupPolicy;
import dev.ouroboros.steward.decide.BackupReport;
import dev.ouroboros.steward.decide.BackupSchedule;
import dev.ouroboros.steward.decide.BackupSchedule.Past;
import dev.ouroboros.steward.decide.BackupSchedule.Turn;
import dev.ouroboros.steward.decide.ControlPlane;
import dev.ouroboros.steward.decide.ControlPlaneStatus;
import dev.ouroboros.steward.decide.ControlPlaneStatus.MemberReport;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at {@code ControlPlane/cluster} and does on this node what it wishes. While no API server answers it goes on with what was wished last: that is when snapshots are needed most.
 */
final class Steward {
    private static final Logger LOG = LoggerFactory.getLogger(Steward.class);
    private static final int LONGEST_MESSAGE = 1024;

    private final String node;
    private final Api api;
    private final ClusterSource source;
    private final EtcdBackups backups;
    private final MemberScaling scaling;
    private final EventRecorder events;
    private final StewardMetrics metrics;
    private final InstantSource clock;
    private final InstantSource wallClock;

    /** Of the last look that had an answer. */
    private Optional<ClusterSource.Seen> seen = Optional.empty();

    private Optional<Instant> tried = Optional.empty();
    private Optional<BackupReport.Failure> failure = Optional.empty();
    private Optional<BackupReport.Saved> saved = Optional.empty();

    /**
     * For one node.
     *
     * @param clock that does not jump
     * @param wallClock of which people read times
     */
    Steward(
            String node,
            Api api,
            ClusterSource source,
            EtcdBackups backups,
            MemberScaling scaling,
            EventRecorder events,
            StewardMetrics metrics,
            InstantSource clock,
            InstantSource wallClock) {
        this.node = node;
        this.api = api;
        this.source = source;
        this.backups = backups;
        this.scaling = scaling;
        this.events = events;
        this.metrics = metrics;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** Looks once, does what is to be done, and says so. What fails is logged, and tried again by the next turn. */
    void turn() {
        metrics.began(clock.instant());
        boolean answers = look();
        if (seen.isEmpty()) {
            return;
        }
        ClusterSource.Seen now = seen.get();
        Optional<ControlPlane> wished = now.object().filter(object -> !object.isPaused());
        wished.flatMap(ControlPlane::backup).ifPresent(policy -> backUp(now, policy));
        if (answers) {
            // Not while the API is away: what is wished may have changed.
            Optional<ControlPlaneStatus.Scaling> told = wished.flatMap(object -> scaling.turn(object, now));
            now.object().ifPresent(object -> report(object, now, told));
        }
        metrics.looked(answers);
    }

    private boolean look() {
        try {
            seen = Optional.of(source.look());
            return true;
        } catch (ApiException e) {
            LOG.warn("component=steward event=api-unknown reason=\"{}\"", e.getMessage());
        } catch (ProblemException e) {
            LOG.warn("component=steward event=cluster-unknown reason=\"{}\"", describe(e));
        }
        metrics.looked(false);
        return false;
    }

    private void backUp(ClusterSource.Seen now, BackupPolicy policy) {
        try {
            saved = backups.newest(now.id()).map(this::withDetails);
            Past past = new Past(
                    saved.map(BackupReport.Saved::at),
                    failure.map(BackupReport.Failure::since),
                    tried.map(moment -> Duration.between(moment, clock.instant())));
            switch (BackupSchedule.turn(policy, node, now.ready(), past, wallClock.instant())) {
                case Turn.Due() -> save(now, policy);
                case Turn.Waits _ -> {}
                case Turn.NotHere _ -> failure = Optional.empty();
            }
        } catch (ProblemException e) {
            fail(now, describe(e));
        }
        saved.ifPresent(newest -> metrics.newest(newest.at(), newest.bytes()));
    }

    /** A file that this process saved is known better than by its name. */
    private BackupReport.Saved withDetails(BackupReport.Saved newest) {
        return saved.filter(known -> known.file().equals(newest.file()))
                .or(() -> seen.flatMap(ClusterSource.Seen::object)
                        .flatMap(object -> ControlPlaneStatus.reportOf(object, node))
                        .flatMap(BackupReport::saved)
                        .filter(known -> known.file().equals(newest.file())))
                .orElse(newest);
    }

    private void save(ClusterSource.Seen now, BackupPolicy policy) {
        tried = Optional.of(clock.instant());
        EtcdCluster etcd = backups.members(now.etcdServers());
        Optional<String> keys = switch (now.encryptionConfig()) {
            case Known<Optional<String>>(Optional<String> known) -> known;
            case Unknown<Optional<String>>(String why) -> {
                LOG.warn("component=steward event=keys-unknown reason=\"{}\"", why);
                yield Optional.empty();
            }
        };
        BackupReport.Saved done = backups.save(now.id(), etcd, now.etcdServers(), policy.retention(), keys);
        saved = Optional.of(done);
        LOG.info("component=steward event=backup-saved file={} bytes={}", done.file(), done.bytes());
        if (failure.isPresent()) {
            say(now, false, "BackupSaved", node + ": snapshots are saved again: " + done.file());
        }
        failure = Optional.empty();
    }

    private void fail(ClusterSource.Seen now, String message) {
        Instant since = failure.map(BackupReport.Failure::since)
                .orElseGet(() -> wallClock.instant().truncatedTo(ChronoUnit.SECONDS));
        boolean isNew = failure.filter(known -> known.message().equals(message)).isEmpty();
        failure = Optional.of(new BackupReport.Failure(since, message));
        if (isNew) {
            LOG.error("component=steward event=backup-failed reason=\"{}\"", message);
            say(now, true, "BackupFailed", node + ": " + message);
        }
        metrics.failed();
    }

    private void say(ClusterSource.Seen now, boolean warning, String reason, String message) {
        now.object()
                .ifPresent(object -> events.say(new Said(
                        new About(ControlPlane.KIND, ControlPlane.API_VERSION, "", ControlPlane.NAME, object.uid()),
                        warning,
                        reason,
                        message)));
    }

    private void report(ControlPlane object, ClusterSource.Seen now, Optional<ControlPlaneStatus.Scaling> scale) {
        boolean hasNews = saved.isPresent() || failure.isPresent();
        ControlPlaneStatus.Seen told = new ControlPlaneStatus.Seen(
                now.nodes(),
                now.ready(),
                hasNews ? Optional.of(new BackupReport(node, saved, failure)) : Optional.empty(),
                members(now),
                scale);
        Json.Fields status = ControlPlaneStatus.next(object, told, wallClock.instant());
        if (status.equals(object.status())) {
            return;
        }
        try {
            // With the version that was read: of two that write at once, one looks again first.
            api.update(
                    new ApiPath(ClusterSource.OBJECT.text() + "/status"),
                    ((Json.Fields) object.object()).with("status", status));
        } catch (ApiException e) {
            LOG.info("component=steward event=status-not-written reason=\"{}\"", e.getMessage());
        }
    }

    /** The first one that is ready tells of them, so that not all ask them all. */
    private Optional<List<MemberReport>> members(ClusterSource.Seen now) {
        if (!BackupSchedule.savers(now.ready(), 1).contains(node)) {
            return Optional.empty();
        }
        try {
            return Optional.of(EtcdBackups.reports(backups.members(now.etcdServers())));
        } catch (ProblemException e) {
            LOG.warn("component=steward event=etcd-unknown reason=\"{}\"", describe(e));
            return Optional.empty();
        }
    }

    /** What went wrong, for a status. */
    static String describe(ProblemException e) {
        String text = e.problems().getFirst().describe();
        return text.length() > LONGEST_MESSAGE ? text.substring(0, LONGEST_MESSAGE) : text;
    }
}
