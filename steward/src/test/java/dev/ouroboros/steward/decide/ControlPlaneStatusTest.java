package dev.ouroboros.steward.decide;

import static dev.ouroboros.steward.decide.StatusOfTwoNodes.NOW;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.NO_JOB;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.SAVED;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.TWO;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.condition;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.nothing;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.saved;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.seen;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.states;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.wished;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.steward.decide.BackupReport.Details;
import dev.ouroboros.steward.decide.BackupReport.Drill;
import dev.ouroboros.steward.decide.BackupReport.Failure;
import dev.ouroboros.steward.decide.BackupReport.Mirror;
import dev.ouroboros.steward.decide.BackupReport.Saved;
import dev.ouroboros.steward.decide.ControlPlaneStatus.MemberReport;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Seen;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the status says of snapshots and of members of etcd. */
final class ControlPlaneStatusTest {
    private static BackupReport drilled(boolean isPassed) {
        return new BackupReport(
                "a",
                Optional.of(SAVED),
                Optional.empty(),
                Optional.of(new Drill(NOW, SAVED.file(), isPassed, "as was said")),
                Optional.empty());
    }

    private static BackupReport mirrored(Instant at, String failure) {
        return new BackupReport(
                "a",
                Optional.of(SAVED),
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Mirror(at, SAVED.file(), failure)));
    }

    @Test
    void snapshotsThatAreOnTheNodesAloneStallWhereCopiesAreWished() throws Exception {
        String spec = "{\"etcd\":{\"backup\":{\"interval\":\"1h\",\"copies\":1,\"mirror\":%s}}}";
        ControlPlaneObject wished = wished(spec.formatted("true"));
        Json failed = ControlPlaneStatus.next(wished, seen(mirrored(NOW, "is no mount")), NOW);
        assertThat(states(failed)).containsExactly("False", "False", "True", "MirrorFailed");
        assertThat(condition(failed, "Ready", "message")).endsWith("from a: is no mount");
        assertThat(ControlPlaneStatus.reportOf(with(wished, failed), "a")).contains(mirrored(NOW, "is no mount"));

        Json late = ControlPlaneStatus.next(wished, seen(mirrored(NOW.minus(Duration.ofHours(3)), "")), NOW);
        assertThat(states(late)).endsWith("MirrorFailed");
        assertThat(states(ControlPlaneStatus.next(wished, seen(mirrored(NOW, "")), NOW)))
                .startsWith("True");
        assertThat(states(ControlPlaneStatus.next(
                        wished(spec.formatted("false")), seen(mirrored(NOW, "is no mount")), NOW)))
                .startsWith("True");
    }

    @Test
    void aSnapshotThatWouldNotBringTheClusterBackStalls() throws Exception {
        String spec = "{\"etcd\":{\"backup\":{\"interval\":\"1h\",\"copies\":1,\"drillInterval\":\"%s\"}}}";
        ControlPlaneObject weekly = wished(spec.formatted("7d"));
        Json failed = ControlPlaneStatus.next(weekly, seen(drilled(false)), NOW);
        assertThat(states(failed)).containsExactly("False", "False", "True", "DrillFailed");
        assertThat(condition(failed, "Ready", "message")).isEqualTo("a: as was said");
        assertThat(failed.at("etcd", "lastDrillTime").isNull()).isTrue();
        assertThat(ControlPlaneStatus.reportOf(with(weekly, failed), "a")).contains(drilled(false));

        Json passed = ControlPlaneStatus.next(weekly, seen(drilled(true)), NOW);
        assertThat(states(passed)).startsWith("True");
        assertThat(passed.at("etcd", "lastDrillTime")).isEqualTo(Json.text(NOW.toString()));
        assertThat(states(ControlPlaneStatus.next(wished(spec.formatted("never")), seen(drilled(false)), NOW)))
                .as("nobody wishes drills any more")
                .startsWith("True");
    }

    @Test
    void isReconcilingUntilEveryNodeHasItsCopy() throws Exception {
        ControlPlaneObject object = wished();
        Json first = ControlPlaneStatus.next(object, seen(saved("a", Duration.ofMinutes(2))), NOW);
        assertThat(states(first)).containsExactly("False", "True", "False", "BackupPending");
        assertThat(condition(first, "Ready", "message")).contains("on b");

        Json second = ControlPlaneStatus.next(with(object, first), seen(saved("b", Duration.ofMinutes(1))), NOW);
        assertThat(states(second)).containsExactly("True", "False", "False", "BackupsCurrent");
        assertThat(condition(second, "Ready", "message")).contains("2 of 2 nodes: a, b");
        assertThat(second.at("observedGeneration")).isEqualTo(Json.number(3));
        assertThat(second.at("etcd", "lastBackupTime")).isEqualTo(Json.text("2026-11-29T15:11:00Z"));
    }

    /** Else every turn would write, and so wake everybody who watches. */
    @Test
    void nothingNewIsTheSameStatus() throws Exception {
        ControlPlaneObject object = wished();
        Json once = ControlPlaneStatus.next(object, seen(saved("a", Duration.ofMinutes(2))), NOW);
        ControlPlaneObject written = with(object, once);

        assertThat(ControlPlaneStatus.next(written, nothing(), NOW.plusSeconds(60)))
                .isEqualTo(once);
        assertThat(ControlPlaneStatus.next(written, seen(saved("a", Duration.ofMinutes(2))), NOW.plusSeconds(60)))
                .isEqualTo(once);
        assertThat(ControlPlaneStatus.reportOf(written, "a")).contains(saved("a", Duration.ofMinutes(2)));
    }

    @Test
    void aFailureStallsAndNamesItsNode() throws Exception {
        ControlPlaneObject object = wished();
        BackupReport failed = new BackupReport(
                "a",
                Optional.of(SAVED),
                Optional.of(new Failure(NOW.minusSeconds(60), "the disk is full")),
                Optional.empty(),
                Optional.empty());
        Json status = ControlPlaneStatus.next(object, seen(failed), NOW);

        assertThat(states(status)).containsExactly("False", "False", "True", "BackupFailed");
        assertThat(condition(status, "Stalled", "message")).isEqualTo("a: the disk is full");
        assertThat(ControlPlaneStatus.reportOf(with(object, status), "a")).contains(failed);
    }

    @Test
    void copiesThatAreTooOldAreSeenByWhoeverLives() throws Exception {
        ControlPlaneObject object = wished();
        Json fresh = ControlPlaneStatus.next(object, seen(saved("a", Duration.ZERO)), NOW);
        fresh = ControlPlaneStatus.next(with(object, fresh), seen(saved("b", Duration.ZERO)), NOW);
        Instant later = NOW.plus(Duration.ofHours(3));
        Seen anew = new Seen(
                TWO,
                TWO,
                Optional.of(new BackupReport(
                        "a",
                        Optional.of(new Saved("x", later, 1, Optional.empty())),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty())),
                Optional.empty(),
                Optional.empty(),
                NO_JOB,
                CertificateReport.NONE,
                Optional.empty());
        Json status = ControlPlaneStatus.next(with(object, fresh), anew, later);

        assertThat(states(status)).containsExactly("False", "False", "True", "BackupLate");
        assertThat(condition(status, "Ready", "message")).contains("b since 2026-11-29T15:12:00Z");
        assertThat(condition(status, "Ready", "lastTransitionTime")).isEqualTo("2026-11-29T18:12:00Z");
        assertThat(condition(status, "Reconciling", "lastTransitionTime")).isEqualTo("2026-11-29T15:12:00Z");
    }

    @Test
    void whatANodeSaidGoesWithItsNode() throws Exception {
        ControlPlaneObject object = wished();
        Json status = ControlPlaneStatus.next(object, seen(saved("b", Duration.ZERO)), NOW);
        Seen without = seen(Set.of("a"), Set.of("a"), Optional.empty());

        assertThat(ControlPlaneStatus.next(with(object, status), without, NOW)
                        .at("etcd", "backups")
                        .items())
                .isEmpty();
    }

    @Test
    void aClusterOfOneNodeHasOneCopyAndIsReady() throws Exception {
        Seen one = seen(Set.of("a"), Set.of("a"), Optional.of(saved("a", Duration.ofMinutes(1))));
        Json status = ControlPlaneStatus.next(wished(), one, NOW);

        assertThat(states(status)).containsExactly("True", "False", "False", "BackupsCurrent");
        assertThat(condition(status, "Ready", "message")).contains("on 1 of 2 nodes: a");
    }

    @Test
    void saysWhyNothingIsDone() throws Exception {
        assertThat(states(ControlPlaneStatus.next(wished("{\"paused\":true,\"etcd\":{}}"), nothing(), NOW)))
                .containsExactly("Unknown", "False", "False", "Paused");
        assertThat(states(ControlPlaneStatus.next(wished("{}"), nothing(), NOW)))
                .containsExactly("True", "False", "False", "NoBackups");
        Seen none = seen(TWO, Set.of(), Optional.empty());
        assertThat(states(ControlPlaneStatus.next(wished(), none, NOW)))
                .containsExactly("False", "False", "True", "NoNode");
    }

    @Test
    void membersStayAsTheOneWhoAskedThemSaid() throws Exception {
        ControlPlaneObject object = wished();
        List<MemberReport> members = List.of(
                new MemberReport("b", "2", "Learner", "3.4.23", "https://10.0.0.2:2379"),
                new MemberReport("a", "1", "Leader", "3.4.23", "https://10.0.0.1:2379"));
        Json status = ControlPlaneStatus.next(
                object,
                new Seen(
                        TWO,
                        TWO,
                        Optional.empty(),
                        Optional.of(members),
                        Optional.empty(),
                        NO_JOB,
                        CertificateReport.NONE,
                        Optional.empty()),
                NOW);

        assertThat(status.at("etcd", "size")).isEqualTo(Json.number(1));
        assertThat(status.at("etcd", "members").items())
                .extracting(member -> member.at("name").text().orElse(""))
                .containsExactly("a", "b");
        assertThat(ControlPlaneStatus.next(with(object, status), nothing(), NOW))
                .isEqualTo(status);
    }

    @Test
    void aPolicyIsReadAsTheSchemaHasIt() throws Exception {
        assertThat(wished("{\"etcd\":{\"backup\":{\"interval\":\"30m\",\"copies\":3,\"keep\":{\"days\":7}}}}")
                        .backup())
                .hasValueSatisfying(policy -> {
                    assertThat(policy.interval()).isEqualTo(Duration.ofMinutes(30));
                    assertThat(policy.copies()).isEqualTo(3);
                    assertThat(policy.retention().days()).isEqualTo(7);
                    assertThat(policy.retention().hours()).isZero();
                });
        assertThat(wished("{\"etcd\":{\"backup\":{\"interval\":\"2d\"}}}").backup())
                .hasValueSatisfying(policy -> assertThat(policy.interval()).isEqualTo(Duration.ofDays(2)));
        assertThat(wished("{\"etcd\":{\"backup\":{\"interval\":\"0h\"}}}").backup())
                .isEmpty();
    }

    @Test
    void aSnapshotThatItsKeysDoNotDecryptIsNotEnough() throws Exception {
        Saved closed = new Saved(
                "x",
                NOW.minusSeconds(60),
                1,
                Optional.of(new Details(7, 5, "https://10.0.0.1:2379", "00ff", false, 3)));
        Seen one = new Seen(
                Set.of("a"),
                Set.of("a"),
                Optional.of(new BackupReport(
                        "a", Optional.of(closed), Optional.empty(), Optional.empty(), Optional.empty())),
                Optional.empty(),
                Optional.empty(),
                NO_JOB,
                CertificateReport.NONE,
                Optional.empty());

        assertThat(states(ControlPlaneStatus.next(wished(), one, NOW)))
                .containsExactly("False", "False", "True", "KeysMissing");
    }
}
