package dev.ouroboros.steward;

import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** What a scraper learns of the steward of a node, in Prometheus' text format. */
final class StewardMetrics {
    private final AtomicLong failures = new AtomicLong();
    private final AtomicReference<Optional<Newest>> newest = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<Boolean>> answers = new AtomicReference<>(Optional.empty());

    private final AtomicReference<Optional<Instant>> began = new AtomicReference<>(Optional.empty());

    private final AtomicLong statusFailures = new AtomicLong();
    private final AtomicLong drillFailures = new AtomicLong();
    private final AtomicReference<Optional<Instant>> drillPassed = new AtomicReference<>(Optional.empty());

    private final AtomicLong renewalFailures = new AtomicLong();
    private final AtomicReference<Optional<Instant>> certificatesEnd = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<Instant>> memberCertificatesEnd = new AtomicReference<>(Optional.empty());

    private final AtomicReference<Optional<Etcd>> etcd = new AtomicReference<>(Optional.empty());

    private record Etcd(long databaseBytes, long alarms) {}

    private record Newest(Instant at, long bytes) {}

    void newest(Instant at, long bytes) {
        newest.set(Optional.of(new Newest(at, bytes)));
    }

    /**
     * etcd's own figures, where this steward reports them.
     *
     * @param databaseBytes of the largest database file
     * @param alarms that are raised; -1 while that is not known
     */
    void etcd(long databaseBytes, long alarms) {
        etcd.set(Optional.of(new Etcd(databaseBytes, alarms)));
    }

    /** Another steward reports etcd's figures, or nobody answers. */
    void etcdUnknown() {
        etcd.set(Optional.empty());
    }

    /** The server refused the object's status, and not for a conflict. */
    void statusFailed() {
        statusFailures.incrementAndGet();
    }

    /** A snapshot was restored, served and compared. */
    void drillPassed(Instant at) {
        drillPassed.set(Optional.of(at));
    }

    /** A snapshot would not bring the cluster back, or it could not be tried. */
    void drillFailed() {
        drillFailures.incrementAndGet();
    }

    /** When the first certificate of a workload ends; only the leading steward knows. */
    void certificatesEnd(Instant at) {
        certificatesEnd.set(Optional.of(at));
    }

    /** When the first certificate of this node's member of etcd ends. */
    void memberCertificatesEnd(Instant at) {
        memberCertificatesEnd.set(Optional.of(at));
    }

    /** Certificates were due, and were not issued again. */
    void renewalFailed() {
        renewalFailures.incrementAndGet();
    }

    void failed() {
        failures.incrementAndGet();
    }

    /** @param known whether the API had an answer to everything */
    void looked(boolean known) {
        answers.set(Optional.of(known));
    }

    /** A turn begins. */
    void began(Instant at) {
        began.set(Optional.of(at));
    }

    /** When the last turn began. If that is long ago, the turn hangs, or its thread has ended. */
    Optional<Instant> turnSince() {
        return began.get();
    }

    /** Whether no turn has ended yet. */
    boolean isNew() {
        return answers.get().isEmpty();
    }

    String text() {
        StringBuilder text = new StringBuilder();
        line(
                text,
                "backup_failures_total",
                "counter",
                "Turns in which a snapshot was due on this node, and none was saved.",
                failures.get());
        line(
                text,
                "status_failures_total",
                "counter",
                "Writes of the status of ControlPlane/cluster that were refused.",
                statusFailures.get());
        line(
                text,
                "drill_failures_total",
                "counter",
                "Drills on this node after which its newest snapshot was not known to be good.",
                drillFailures.get());
        drillPassed
                .get()
                .ifPresent(at -> line(
                        text,
                        "drill_last_passed_timestamp_seconds",
                        "gauge",
                        "When this process last restored, served and compared a snapshot.",
                        at.getEpochSecond()));
        line(
                text,
                "certificate_renewal_failures_total",
                "counter",
                "Turns in which certificates were to be issued again, and were not.",
                renewalFailures.get());
        certificatesEnd
                .get()
                .ifPresent(at -> line(
                        text,
                        "certificate_expiration_timestamp_seconds",
                        "gauge",
                        "When the first certificate of a workload of the control plane ends, if this one leads.",
                        at.getEpochSecond()));
        memberCertificatesEnd
                .get()
                .ifPresent(at -> line(
                        text,
                        "member_certificate_expiration_timestamp_seconds",
                        "gauge",
                        "When the first certificate of this node's member of etcd ends.",
                        at.getEpochSecond()));
        etcd.get().ifPresent(known -> {
            line(
                    text,
                    "etcd_database_bytes",
                    "gauge",
                    "Size of the largest file of a member of etcd, if this one tells of them.",
                    known.databaseBytes());
            line(
                    text,
                    "etcd_alarms",
                    "gauge",
                    "Alarms that members of etcd have raised, if this one tells of them; -1 while no majority says.",
                    known.alarms());
        });
        newest.get().ifPresent(snapshot -> {
            line(
                    text,
                    "backup_last_saved_timestamp_seconds",
                    "gauge",
                    "When the newest snapshot on this node was saved.",
                    snapshot.at().getEpochSecond());
            line(text, "backup_last_bytes", "gauge", "Size of the newest snapshot on this node.", snapshot.bytes());
        });
        line(
                text,
                "api_known",
                "gauge",
                "1 when the API answered the last look, 0 when it did not.",
                answers.get().orElse(false) ? 1 : 0);
        return text.toString();
    }

    private static void line(StringBuilder text, String name, String type, String help, long value) {
        String full = "ouroboros_steward_" + name;
        text.append("# HELP ").append(full).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(full).append(' ').append(type).append('\n');
        text.append(full).append(' ').append(value).append('\n');
    }
}
