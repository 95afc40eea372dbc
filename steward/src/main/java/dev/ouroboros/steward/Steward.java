package dev.ouroboros.steward;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.EventRecorder.About;
import dev.ouroboros.api.EventRecorder.Said;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.SnapshotDriller;
import dev.ouroboros.etcd.SnapshotMirror;
import dev.ouroboros.etcd.SnapshotName;
import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.etcd.membership.MemberCertificates;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.pki.RenewalPolicy;
import dev.ouroboros.steward.decide.BackupPolicy;
import dev.ouroboros.steward.decide.BackupSchedule;
import dev.ouroboros.steward.decide.CertificateReport;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus;
import dev.ouroboros.steward.decide.ControlPlaneStatus.MemberReport;
import dev.ouroboros.steward.decide.KubeletRollReport;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does on this node what {@code ControlPlane/cluster} wishes, turn by turn. While no API server answers it goes on with what was wished last: that is
 * when snapshots are needed most.
 */
final class Steward {
    private static final Logger LOG = LoggerFactory.getLogger(Steward.class);
    private static final int LONGEST_MESSAGE = 1024;
    private static final long UNKNOWN = -1;

    private final String node;
    private final Api api;
    private final WishSource source;
    private final Supplier<EtcdCluster> members;
    private final EtcdManagement etcd;
    private final BackupWorker worker;
    private final DrillWorker drills;
    private final MirrorWorker copies;
    private final CertificateWorker certificates;
    private final MemberCertificateWorker memberCertificates;
    private final KubeletWorker kubelets;
    private final EventRecorder events;
    private final StewardMetrics metrics;
    private final InstantSource clock;
    private final InstantSource wallClock;

    /** etcd's alarms, as they were last known. */
    private Evidence<List<Alarm>> alarms = Evidence.known(List.of());

    /** The last look that had an answer. */
    private volatile Optional<WishSource.Seen> seen = Optional.empty();

    /** What drills and copies of snapshots need, and where they are made. */
    record Tools(SnapshotDriller driller, SnapshotDriller.Place place, Disk disk) {}

    /**
     * What the renewal of certificates needs.
     *
     * @param clients each is closed after use
     * @param hasMember whether this node has a member
     * @param files of its member; empty while something is done with it
     * @param ofMember its certificates
     */
    record Certifying(
            Supplier<ClusterClient> clients,
            BooleanSupplier hasMember,
            Supplier<Optional<EtcdTlsFiles>> files,
            BiFunction<EtcdTlsFiles, RenewalPolicy, MemberCertificates> ofMember) {}

    /**
     * For one node.
     *
     * @param clock that does not jump
     * @param wallClock for times that people read
     */
    Steward(
            String node,
            Api api,
            WishSource source,
            EtcdBackups backups,
            Supplier<EtcdCluster> members,
            Leadership leadership,
            EtcdManagement etcd,
            Tools tools,
            Certifying certifying,
            EventRecorder events,
            StewardMetrics metrics,
            InstantSource clock,
            InstantSource wallClock) {
        this.node = node;
        this.api = api;
        this.source = source;
        this.members = members;
        this.etcd = etcd;
        this.worker = new BackupWorker(node, backups, this::say, metrics, clock, wallClock);
        this.drills = new DrillWorker(
                node, tools.driller(), tools.place(), tools.disk(), this::say, metrics, clock, wallClock);
        Path mount = tools.place().state().resolve(StateLayout.BACKUPS_MIRROR);
        this.copies = new MirrorWorker(
                node,
                new SnapshotMirror(tools.disk(), mount),
                new SnapshotName(mount.resolve(EtcdBackups.NAME)),
                this::say,
                clock,
                wallClock);
        this.certificates = new CertificateWorker(
                certifying.clients(), leadership::leads, tools.disk(), this::say, metrics, clock, wallClock);
        this.memberCertificates = new MemberCertificateWorker(
                node, certifying.hasMember(), certifying.files(), certifying.ofMember(), this::say, metrics, wallClock);
        this.kubelets = new KubeletWorker(certifying.clients(), leadership::leads, this::say, clock);
        this.events = events;
        this.metrics = metrics;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /** Looks, acts and reports once. A failure is logged, and the next turn tries again. */
    void turn() {
        metrics.began(clock.instant());
        boolean answers = look();
        if (seen.isEmpty()) {
            return;
        }
        WishSource.Seen now = seen.get();
        if (!answers || now.object().isEmpty()) {
            metrics.etcdUnknown();
        }
        Optional<ControlPlaneObject> wished = now.object().filter(object -> !object.isPaused());
        try {
            drills.tidy();
            wished.ifPresent(object -> backUp(object, now));
        } catch (ProblemException e) {
            LOG.error("component=steward event=backups-failed reason=\"{}\"", describe(e));
        }
        if (answers) {
            // Only while the API answers: the wish may have changed.
            Optional<EtcdManagement.Told> told = wished.map(object -> etcd.turn(object, now));
            boolean isBusy = told.flatMap(EtcdManagement.Told::job)
                    .filter(job -> !job.isFailed())
                    .isPresent();
            wished.ifPresentOrElse(object -> certify(object, isBusy), certificates::rest);
            Optional<KubeletRollReport> rolled = wished.flatMap(kubelets::turn);
            now.object().ifPresent(object -> {
                announce(object, told);
                report(object, now, told, rolled);
            });
        }
        metrics.looked(answers);
    }

    /** Saves and tries snapshots. A drill and a save each read all of a snapshot: not both at once, in a small heap. */
    private void backUp(ControlPlaneObject object, WishSource.Seen now) {
        Optional<BackupPolicy> policy = object.backup();
        policy.filter(_ -> !drills.isWorking()).ifPresent(backup -> worker.turn(now, backup));
        policy.ifPresent(backup -> copies.turn(object, backup, now.id(), worker.saved()));
        if (!worker.isSaving()) {
            drills.turn(object, policy.flatMap(BackupPolicy::drillInterval), worker.saved());
        }
    }

    /** @param isBusy whether something is done with this node's member of etcd */
    private void certify(ControlPlaneObject object, boolean isBusy) {
        if (!isBusy) {
            memberCertificates.turn(object);
        }
        certificates.turn(object);
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

    private void say(boolean warning, String reason, String message) {
        seen.flatMap(WishSource.Seen::object)
                .ifPresent(object -> events.say(new Said(
                        new About(
                                StewardObjects.KIND, StewardObjects.API_VERSION, "", StewardObjects.NAME, object.uid()),
                        warning,
                        reason,
                        message)));
    }

    /** Tells each new step of a change of members, and why there is none, as an Event. */
    private void announce(ControlPlaneObject object, Optional<EtcdManagement.Told> told) {
        told.flatMap(EtcdManagement.Told::scaling)
                .flatMap(ControlPlaneStatus.Scaling::report)
                .filter(report -> report.isNews(object))
                .ifPresent(report -> say(report.isStalled(), report.reason(), report.words()));
    }

    private void report(
            ControlPlaneObject object,
            WishSource.Seen now,
            Optional<EtcdManagement.Told> told,
            Optional<KubeletRollReport> rolled) {
        ControlPlaneStatus.Seen all = new ControlPlaneStatus.Seen(
                now.nodes().keySet(),
                now.ready(),
                worker.report(object, drills.last(), copies.last()),
                members(now),
                told.flatMap(EtcdManagement.Told::scaling),
                new ControlPlaneStatus.Own(
                        node, told.flatMap(EtcdManagement.Told::job), told.flatMap(EtcdManagement.Told::manifest)),
                new CertificateReport(certificates.standing(), memberCertificates.standing(object)),
                rolled);
        Json.Fields status = ControlPlaneStatus.next(object, all, wallClock.instant());
        if (status.equals(object.status())) {
            return;
        }
        try {
            // With the resourceVersion that was read: of two stewards that write at once, one looks again first.
            api.update(
                    new ApiPath(WishSource.OBJECT.text() + "/status"),
                    ((Json.Fields) object.object()).with("status", status));
        } catch (ApiException e) {
            if (e.kind() == ApiException.Kind.CONFLICT) {
                LOG.debug("component=steward event=status-conflict reason=\"{}\"", e.getMessage());
            } else {
                metrics.statusFailed();
                LOG.warn("component=steward event=status-not-written reason=\"{}\"", e.getMessage());
            }
        }
    }

    /** The members' reports. Only the first ready node reports them, so that not every steward asks every member. */
    private Optional<List<MemberReport>> members(WishSource.Seen now) {
        // An etcd without TLS is not asked.
        boolean isAsked = now.etcdServers().stream().allMatch(url -> url.startsWith("https:"));
        if (!isAsked || !BackupSchedule.savers(now.ready(), 1).contains(node)) {
            metrics.etcdUnknown();
            return Optional.empty();
        }
        try {
            EtcdCluster told = members.get();
            measure(told);
            return Optional.of(EtcdBackups.reports(told));
        } catch (ProblemException e) {
            LOG.warn("component=steward event=etcd-unknown reason=\"{}\"", describe(e));
            metrics.etcdUnknown();
            return Optional.empty();
        }
    }

    /** Updates metrics: while an alarm is raised etcd takes no writes, and neither a status nor an Event could tell of it. */
    private void measure(EtcdCluster told) {
        long raised = told.alarms().map(alarms -> (long) alarms.size()).orElse(UNKNOWN);
        metrics.etcd(told.largestDatabaseBytes(), raised);
        if (!told.alarms().equals(alarms)) {
            alarms = told.alarms();
            LOG.info("component=steward event=etcd-alarms alarms=\"{}\"", alarms);
        }
    }

    /** The failure as a status says it. */
    static String describe(ProblemException e) {
        String text = e.problems().stream().map(Problem::describe).collect(Collectors.joining("; "));
        return text.length() > LONGEST_MESSAGE ? text.substring(0, LONGEST_MESSAGE) : text;
    }
}
