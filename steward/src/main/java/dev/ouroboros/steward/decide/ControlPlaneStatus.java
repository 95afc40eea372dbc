package dev.ouroboros.steward.decide;

import dev.ouroboros.etcd.decide.DatabaseQuota;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The status of {@code ControlPlane/cluster}: each steward's report on its own node, and what follows from all of them. Every steward computes the
 * latter in the same way, so that it needs no leader. Conditions are those of kstatus (sigs.k8s.io/cli-utils, pkg/kstatus): Ready, Reconciling,
 * Stalled.
 */
public final class ControlPlaneStatus {
    private static final int LATE_AFTER_INTERVALS = 2;
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);
    private static final String CONDITIONS = "conditions";
    private static final String BACKUPS = "backups";
    private static final String STATUS = "status";
    /** Reasons that there is no recent snapshot: worse than anything that a change of members waits for. */
    private static final Set<String> AGE_OF_BACKUPS = Set.of("BackupFailed", "BackupLate", "NoNode");

    private static final String PAUSED = "Paused";
    private static final String TRUE = "True";
    private static final String FALSE = "False";

    private ControlPlaneStatus() {}

    /**
     * What a steward knows beside the object.
     *
     * @param nodes names of all control-plane nodes
     * @param ready names of those that are ready
     * @param own what it says of its node's snapshots; empty when it says nothing
     * @param members what it says of etcd's members; empty when that is not its business
     * @param scale what it says of the way to as many members as are wished, if it leads
     * @param job what it says of its node's part in that
     * @param certificates what it says of certificates
     * @param kubelets what it says of kubelets, if it leads and anything is wished of them
     */
    public record Seen(
            Set<String> nodes,
            Set<String> ready,
            Optional<BackupReport> own,
            Optional<List<MemberReport>> members,
            Optional<Scaling> scale,
            Own job,
            CertificateReport certificates,
            Optional<KubeletRollReport> kubelets) {
        public Seen {
            nodes = Set.copyOf(nodes);
            ready = Set.copyOf(ready);
            members = members.map(List::copyOf);
        }
    }

    /**
     * A node's part in a change of members.
     *
     * @param job empty while it has none
     * @param manifest empty while it has no member, or nothing is wished of its manifest
     */
    public record Own(String node, Optional<NodeJob> job, Optional<MemberManifest> manifest) {}

    /**
     * A member of etcd.
     *
     * @param state {@code Leader}, {@code Follower}, {@code Learner}, or {@code Unknown} of one that does not answer
     * @param version empty text of one that does not answer
     */
    public record MemberReport(String name, String id, String state, String version, String url) {
        Json.Fields json() {
            return texts(List.of(
                    Map.entry("name", name),
                    Map.entry("id", id),
                    Map.entry("state", state),
                    Map.entry("version", version),
                    Map.entry("url", url)));
        }
    }

    /**
     * The texts that are not empty: API servers of 1.20 take an empty text for null, and refuse it (1.20.2: "message in body must be of type
     * string").
     */
    private static Json.Fields texts(List<Map.Entry<String, String>> values) {
        Json.Fields fields = Json.object();
        for (Map.Entry<String, String> value : values) {
            fields = value.getValue().isEmpty() ? fields : fields.with(value.getKey(), Json.text(value.getValue()));
        }
        return fields;
    }

    /**
     * What the steward that leads says of the way to as many members as are wished, and of what the largest database leaves of its quota.
     *
     * @param report empty when there is nothing to be done
     * @param quotaPercent how much of its quota is used; empty when that is not known
     */
    public record Scaling(Optional<ScaleReport> report, OptionalInt quotaPercent) {}

    /** One of the conditions, before it has its time. */
    private record Condition(String type, String status, String reason, String message) {}

    /** How the backups of all nodes stand together. */
    private record Verdict(String ready, boolean reconciling, boolean stalled, String reason, String message) {}

    /** The report of a node, as the status has it. */
    public static Optional<BackupReport> reportOf(ControlPlaneObject object, String node) {
        return Optional.ofNullable(reports(object).get(node));
    }

    /** The status that the object is to have; equal to its present one when nothing is new. */
    public static Json.Fields next(ControlPlaneObject object, Seen seen, Instant now) {
        SortedMap<String, BackupReport> reports = reports(object);
        // As long as a node exists, so do the snapshots that it saved.
        reports.keySet().retainAll(seen.nodes());
        seen.own().ifPresent(own -> reports.put(own.node(), own));
        boolean isDecided = seen.scale().isPresent() || object.isScaleDecided();
        Optional<ScaleReport> scale = seen.scale().map(Scaling::report).orElseGet(() -> ScaleReport.of(object));
        CertificateReport certificates = CertificateReport.of(object)
                .with(seen.certificates(), seen.job().node(), seen.nodes());
        Optional<KubeletRollReport> kubelets =
                object.object().at("spec", "kubelet").isNull()
                        ? Optional.empty()
                        : seen.kubelets().or(() -> KubeletRollReport.of(object));
        OptionalInt quotaPercent = seen.scale().map(Scaling::quotaPercent).orElseGet(object::quotaPercent);
        Verdict verdict = kubelets(
                object,
                kubelets,
                certificates(
                        certificates,
                        quota(quotaPercent, verdict(object, isDecided, scale, backups(object, reports, seen, now)))));
        Json.Fields etcd = Json.object();
        Optional<Json> members = seen.members()
                .<Json>map(list -> Json.items(list.stream()
                        .sorted(Comparator.comparing(MemberReport::name).thenComparing(MemberReport::id))
                        .map(MemberReport::json)))
                .or(() -> Optional.of(object.status().at("etcd", "members")).filter(known -> !known.isNull()));
        if (members.isPresent()) {
            long voters = members.get().items().stream()
                    .filter(member -> !member.at("state").equals(Json.text("Learner")))
                    .count();
            etcd = etcd.with("size", Json.number(voters)).with("members", members.get());
        }
        Optional<Instant> newest = reports.values().stream()
                .flatMap(report -> report.saved().stream())
                .map(BackupReport.Saved::at)
                .max(Comparator.naturalOrder());
        if (newest.isPresent()) {
            etcd = etcd.with("lastBackupTime", Json.text(newest.get().toString()));
        }
        Optional<Instant> drilled = reports.values().stream()
                .flatMap(report -> report.drill().stream())
                .filter(BackupReport.Drill::isPassed)
                .map(BackupReport.Drill::at)
                .max(Comparator.naturalOrder())
                .or(() -> object.status().at("etcd", "lastDrillTime").text().map(Instant::parse));
        if (drilled.isPresent()) {
            etcd = etcd.with("lastDrillTime", Json.text(drilled.get().toString()));
        }
        if (scale.isPresent()) {
            etcd = etcd.with("change", json(scale.get()));
        }
        Json decided = seen.scale().isPresent()
                ? Json.number(object.generation())
                : object.status().at("etcd", "decidedGeneration");
        if (!decided.isNull()) {
            etcd = etcd.with("decidedGeneration", decided);
        }
        List<NodeJob> jobs = jobs(object, seen);
        if (!jobs.isEmpty()) {
            etcd = etcd.with("jobs", Json.items(jobs.stream().map(NodeJob::json)));
        }
        List<MemberManifest> manifests = manifests(object, seen);
        if (!manifests.isEmpty()) {
            etcd = etcd.with("manifests", Json.items(manifests.stream().map(MemberManifest::json)));
        }
        if (quotaPercent.isPresent()) {
            etcd = etcd.with(ControlPlaneObject.QUOTA_PERCENT, Json.number(quotaPercent.getAsInt()));
        }
        etcd = etcd.with(BACKUPS, Json.items(reports.values().stream().map(BackupReport::json)));
        Json.Fields status = Json.object()
                .with("observedGeneration", Json.number(object.generation()))
                .with(CONDITIONS, conditions(object, verdict, now))
                .with("etcd", etcd)
                .with("certificates", certificates.json());
        return kubelets.map(report -> status.with("kubelet", report.json())).orElse(status);
    }

    private static SortedMap<String, BackupReport> reports(ControlPlaneObject object) {
        SortedMap<String, BackupReport> reports = new TreeMap<>();
        for (Json entry : object.status().at("etcd", BACKUPS).items()) {
            BackupReport report = BackupReport.of(entry);
            reports.put(report.node(), report);
        }
        return reports;
    }

    private static Json.Fields json(ScaleReport scale) {
        return texts(List.of(
                        Map.entry("step", scale.step()),
                        Map.entry("node", scale.node()),
                        Map.entry("reason", scale.reason()),
                        Map.entry("message", scale.message())))
                .with("stalled", Json.bool(scale.isStalled()));
    }

    private static List<NodeJob> jobs(ControlPlaneObject object, Seen seen) {
        return seen.nodes().stream()
                .sorted()
                .flatMap(
                        node -> (node.equals(seen.job().node()) ? seen.job().job() : NodeJob.of(object, node)).stream())
                .toList();
    }

    private static List<MemberManifest> manifests(ControlPlaneObject object, Seen seen) {
        return seen.nodes().stream()
                .sorted()
                .flatMap(node -> (node.equals(seen.job().node())
                                ? seen.job().manifest()
                                : MemberManifest.of(object, node))
                        .stream())
                .toList();
    }

    /** A database near its quota is reported before it reaches it: then etcd takes no writes any more, this status among them. */
    private static Verdict quota(OptionalInt percent, Verdict others) {
        boolean isSaid = !others.ready().equals(TRUE);
        return isSaid || percent.isEmpty() || percent.getAsInt() < DatabaseQuota.FILLS
                ? others
                : new Verdict(
                        FALSE,
                        false,
                        true,
                        "EtcdFills",
                        "etcd's database takes " + percent.getAsInt()
                                + " % of its quota (--quota-backend-bytes), and at 100 % etcd refuses every write: 'ouro snapshot inspect' of a snapshot says what fills it; have less of that, or a larger quota in spec.etcd.flags; 'ouro etcd defragment' gives back what is not in use");
    }

    /** Certificates that have ended make everything else useless; those that are being replaced do no harm. */
    private static Verdict certificates(CertificateReport report, Verdict others) {
        boolean isSaid = others.reason().equals(PAUSED) || AGE_OF_BACKUPS.contains(others.reason());
        if (!isSaid && report.failure().isPresent()) {
            return new Verdict(
                    FALSE, false, true, "RenewalFailed", report.failure().get());
        }
        boolean isQuiet = others.ready().equals(TRUE) && report.isRenewing();
        return isQuiet
                ? new Verdict(
                        TRUE, true, false, "RenewingCertificates", "workloads get certificates that were issued again")
                : others;
    }

    /** Kubelets come last: those that run go on, so anything else that is wrong is reported first. */
    private static Verdict kubelets(ControlPlaneObject object, Optional<KubeletRollReport> report, Verdict others) {
        if (!others.ready().equals(TRUE)
                || object.object().at("spec", "kubelet").isNull()) {
            return others;
        }
        boolean isDecided = report.filter(known -> known.generation() == object.generation())
                .isPresent();
        if (!isDecided) {
            return new Verdict(FALSE, true, false, "KubeletsPending", "the steward that leads has not looked yet");
        }
        KubeletRollReport known = report.get();
        return switch (known.state()) {
            case CURRENT -> others;
            case ROLLING -> new Verdict(FALSE, true, false, "RollingKubelets", known.message());
            case FAILED -> new Verdict(FALSE, false, true, "KubeletFailed", known.message());
        };
    }

    /** The worst of the reports. */
    private static Verdict verdict(
            ControlPlaneObject object, boolean isDecided, Optional<ScaleReport> scale, Verdict backups) {
        if (object.isPaused()) {
            return new Verdict("Unknown", false, false, PAUSED, "spec.paused is true: nothing is begun");
        }
        boolean isWorse = backups.stalled()
                && (AGE_OF_BACKUPS.contains(backups.reason())
                        || scale.filter(ScaleReport::isStalled).isEmpty());
        boolean isWished = object.etcdSize().isPresent()
                || scale.filter(ScaleReport::isOfOwnersEtcd).isPresent();
        if (isWorse || !isWished) {
            return backups;
        }
        if (!isDecided) {
            return new Verdict(
                    FALSE,
                    true,
                    false,
                    "ScalePending",
                    "no steward on the node of a member has said anything of the wish yet");
        }
        return scale.map(report ->
                        new Verdict(FALSE, !report.isStalled(), report.isStalled(), report.reason(), report.words()))
                .orElse(backups);
    }

    private static Verdict backups(
            ControlPlaneObject object, SortedMap<String, BackupReport> reports, Seen seen, Instant now) {
        Optional<BackupPolicy> policy = object.backup();
        if (policy.isEmpty()) {
            return new Verdict(TRUE, false, false, "NoBackups", "spec.etcd.backup is not set: no snapshot is saved");
        }
        List<String> savers = BackupSchedule.savers(seen.ready(), policy.get().copies());
        if (savers.isEmpty()) {
            return new Verdict(FALSE, false, true, "NoNode", "no control-plane node is ready: none saves a snapshot");
        }
        Instant oldest = now.minus(policy.get().interval().multipliedBy(LATE_AFTER_INTERVALS));
        List<String> failed = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        List<String> late = new ArrayList<>();
        List<String> useless = new ArrayList<>();
        List<String> alone = new ArrayList<>();
        List<String> pending = new ArrayList<>();
        for (String saver : savers) {
            Optional<BackupReport> report = Optional.ofNullable(reports.get(saver));
            Optional<BackupReport.Saved> saved = report.flatMap(BackupReport::saved);
            // A time in the future is from before the clock was set back: the snapshot's age is not known.
            boolean isCurrent = saved.filter(
                            known -> known.at().isAfter(oldest) && !known.at().isAfter(now.plus(CLOCKS_DIFFER)))
                    .isPresent();
            report.flatMap(BackupReport::drill)
                    .filter(drill -> policy.get().drillInterval().isPresent() && !drill.isPassed())
                    .ifPresent(drill -> useless.add(saver + ": " + drill.message()));
            report.flatMap(BackupReport::mirror)
                    .filter(mirror -> policy.get().isMirrored())
                    .filter(mirror -> !mirror.failure().isEmpty() || mirror.at().isBefore(oldest))
                    .ifPresent(mirror -> alone.add(
                            saver + (mirror.failure().isEmpty() ? " since " + mirror.at() : ": " + mirror.failure())));
            Optional<String> failure = report.flatMap(BackupReport::failure).map(BackupReport.Failure::message);
            if (failure.isPresent()) {
                failed.add(saver + ": " + failure.get());
            } else if (saved.isEmpty()) {
                pending.add(saver);
            } else if (!isCurrent) {
                late.add(saver + " since " + saved.get().at());
            } else if (saved.flatMap(BackupReport.Saved::details)
                    .filter(details -> details.unreadable() > 0)
                    .isPresent()) {
                unreadable.add(saver);
            }
        }
        if (!failed.isEmpty()) {
            return new Verdict(FALSE, false, true, "BackupFailed", String.join("; ", failed));
        }
        if (!late.isEmpty()) {
            return new Verdict(FALSE, false, true, "BackupLate", "no snapshot was saved on " + String.join(", ", late));
        }
        if (!alone.isEmpty()) {
            return new Verdict(
                    FALSE,
                    false,
                    true,
                    "MirrorFailed",
                    "no snapshot was copied elsewhere from " + String.join("; ", alone));
        }
        if (!useless.isEmpty()) {
            return new Verdict(FALSE, false, true, "DrillFailed", String.join("; ", useless));
        }
        if (!unreadable.isEmpty()) {
            return new Verdict(
                    FALSE,
                    false,
                    true,
                    "KeysMissing",
                    "the newest snapshots have objects that the keys beside them do not decrypt, or that cannot be read, on "
                            + String.join(", ", unreadable) + ": see 'ouro snapshot inspect' there");
        }
        if (!pending.isEmpty()) {
            return new Verdict(
                    FALSE, true, false, "BackupPending", "a snapshot is to be saved on " + String.join(", ", pending));
        }
        return new Verdict(
                TRUE,
                false,
                false,
                "BackupsCurrent",
                "snapshots of the last " + LATE_AFTER_INTERVALS + " intervals are on " + savers.size() + " of "
                        + policy.get().copies() + " nodes: " + String.join(", ", savers));
    }

    private static Json.Items conditions(ControlPlaneObject object, Verdict verdict, Instant now) {
        return Json.items(Stream.of(
                        new Condition("Ready", verdict.ready(), verdict.reason(), verdict.message()),
                        new Condition(
                                "Reconciling",
                                verdict.reconciling() ? TRUE : FALSE,
                                verdict.reason(),
                                verdict.reconciling() ? verdict.message() : ""),
                        new Condition(
                                "Stalled",
                                verdict.stalled() ? TRUE : FALSE,
                                verdict.reason(),
                                verdict.stalled() ? verdict.message() : ""))
                .map(condition -> json(object, condition, now)));
    }

    private static Json.Fields json(ControlPlaneObject object, Condition condition, Instant now) {
        String since = object.status().at(CONDITIONS).items().stream()
                .filter(known -> known.at("type").equals(Json.text(condition.type()))
                        && known.at(STATUS).equals(Json.text(condition.status())))
                .flatMap(known -> known.at("lastTransitionTime").text().stream())
                .findFirst()
                .orElseGet(() -> now.truncatedTo(ChronoUnit.SECONDS).toString());
        return texts(List.of(
                        Map.entry("type", condition.type()),
                        Map.entry(STATUS, condition.status()),
                        Map.entry("lastTransitionTime", since),
                        Map.entry("reason", condition.reason()),
                        Map.entry("message", condition.message())))
                .with("observedGeneration", Json.number(object.generation()));
    }
}
