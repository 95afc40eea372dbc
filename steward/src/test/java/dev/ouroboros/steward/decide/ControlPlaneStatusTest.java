package dev.ouroboros.steward.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.steward.decide.BackupReport.Details;
import dev.ouroboros.steward.decide.BackupReport.Drill;
import dev.ouroboros.steward.decide.BackupReport.Failure;
import dev.ouroboros.steward.decide.BackupReport.Mirror;
import dev.ouroboros.steward.decide.BackupReport.Saved;
import dev.ouroboros.steward.decide.CertificateReport.Standing;
import dev.ouroboros.steward.decide.ControlPlaneStatus.MemberReport;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Seen;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ControlPlaneStatusTest {
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final Standing GOOD = Standing.unknown()
            .showing("kube-scheduler kubeconfig", Optional.of(NOW.plus(Duration.ofDays(300))), Optional.of(NOW));

    private static final ControlPlaneStatus.Own NO_JOB =
            new ControlPlaneStatus.Own("a", Optional.empty(), Optional.empty());
    private static final Set<String> TWO = Set.of("a", "b");
    private static final Saved SAVED = new Saved(
            "/var/lib/ouroboros/backups/x/etcd-20261129T151000Z.db",
            NOW.minusSeconds(120),
            4096,
            Optional.of(new Details(7, 5, "https://10.0.0.1:2379", "00ff", true, 0)));

    private static ControlPlaneObject wished(String spec) throws JsonText.MalformedJson {
        String text = "{\"metadata\":{\"generation\":3,\"uid\":\"u\"},\"spec\":" + spec + "}";
        return new ControlPlaneObject(JsonText.read(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static ControlPlaneObject wished() throws JsonText.MalformedJson {
        return wished("{\"etcd\":{\"backup\":{\"interval\":\"1h\",\"copies\":2,\"keep\":{\"hours\":24}}}}");
    }

    private static ControlPlaneObject with(ControlPlaneObject object, Json status) {
        return new ControlPlaneObject(((Json.Fields) object.object()).with("status", status));
    }

    /** By who neither leads nor tells of members. */
    private static Seen seen(Set<String> nodes, Set<String> ready, Optional<BackupReport> own) {
        return new Seen(
                nodes,
                ready,
                own,
                Optional.empty(),
                Optional.empty(),
                NO_JOB,
                CertificateReport.NONE,
                Optional.empty());
    }

    private static Seen seen(BackupReport own) {
        return seen(TWO, TWO, Optional.of(own));
    }

    private static Seen nothing() {
        return seen(TWO, TWO, Optional.empty());
    }

    private static BackupReport saved(String node, Duration ago) {
        return new BackupReport(
                node,
                Optional.of(new Saved(SAVED.file(), NOW.minus(ago), SAVED.bytes(), SAVED.details())),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

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

    private static String condition(Json status, String type, String field) {
        return status.at("conditions").items().stream()
                .filter(each -> each.at("type").equals(Json.text(type)))
                .flatMap(each -> each.at(field).text().stream())
                .findFirst()
                .orElse("absent");
    }

    private static List<String> states(Json status) {
        return List.of(
                condition(status, "Ready", "status"),
                condition(status, "Reconciling", "status"),
                condition(status, "Stalled", "status"),
                condition(status, "Ready", "reason"));
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

    /** In a cluster of one node. */
    private static Seen whoDoesNotLead() {
        return seen(Set.of("a"), Set.of("a"), Optional.empty());
    }

    private static Seen scale(Optional<ScaleReport> report) {
        return scale(report, OptionalInt.empty());
    }

    private static Seen scale(Optional<ScaleReport> report, OptionalInt quotaPercent) {
        return new Seen(
                Set.of("a"),
                Set.of("a"),
                Optional.of(saved("a", Duration.ofMinutes(1))),
                Optional.empty(),
                Optional.of(new ControlPlaneStatus.Scaling(report, quotaPercent)),
                NO_JOB,
                CertificateReport.NONE,
                Optional.empty());
    }

    @Test
    void theWayToAsManyMembersAsAreWishedIsToldUntilItEnds() throws Exception {
        ControlPlaneObject object = wished("{\"etcd\":{\"size\":3,\"backup\":{\"interval\":\"1h\",\"copies\":1}}}");
        ScaleReport adding = ScaleReport.of(
                        new EtcdScale.Step.Add("b"), Optional.empty(), Optional.of("waits for its request"))
                .orElseThrow();
        Json status = ControlPlaneStatus.next(object, scale(Optional.of(adding)), NOW);

        assertThat(states(status)).containsExactly("False", "True", "False", "Scaling");
        assertThat(condition(status, "Ready", "message"))
                .isEqualTo("node b gets a member of etcd: waits for its request");
        ControlPlaneObject written = with(object, status);
        assertThat(ScaleReport.of(written)).contains(adding);
        // Who does not lead leaves it as it is.
        assertThat(ControlPlaneStatus.next(written, whoDoesNotLead(), NOW)).isEqualTo(status);
        assertThat(ScaleReport.decided(written)).contains(adding);

        Json failed = ControlPlaneStatus.next(
                written,
                scale(ScaleReport.of(new EtcdScale.Step.Add("b"), Optional.of("no image"), Optional.empty())),
                NOW);
        assertThat(states(failed)).containsExactly("False", "False", "True", "ScaleFailed");

        Json end = ControlPlaneStatus.next(with(object, failed), scale(Optional.empty()), NOW);
        assertThat(states(end)).containsExactly("True", "False", "False", "BackupsCurrent");
        assertThat(end.at("etcd", "change").isNull()).isTrue();
    }

    /** At its quota etcd does not even take the status. */
    @Test
    void aDatabaseThatNearsItsQuotaIsToldBeforeItIsThere() throws Exception {
        ControlPlaneObject object = wished("{\"etcd\":{\"size\":1,\"backup\":{\"interval\":\"1h\",\"copies\":1}}}");
        Json little = ControlPlaneStatus.next(object, scale(Optional.empty(), OptionalInt.of(79)), NOW);
        assertThat(states(little)).containsExactly("True", "False", "False", "BackupsCurrent");
        assertThat(little.at("etcd", "quotaPercent")).isEqualTo(Json.number(79));

        Json much = ControlPlaneStatus.next(object, scale(Optional.empty(), OptionalInt.of(80)), NOW);
        assertThat(states(much)).containsExactly("False", "False", "True", "EtcdFills");
        assertThat(condition(much, "Ready", "message")).contains("80 %", "spec.etcd.flags");
        assertThat(ControlPlaneStatus.next(with(object, much), whoDoesNotLead(), NOW))
                .as("who does not lead leaves it as it is")
                .isEqualTo(much);
        Optional<ScaleReport> stalled = ScaleReport.of(
                new EtcdScale.Step.Stalled("TooFewNodes", "there are none"), Optional.empty(), Optional.empty());
        assertThat(states(ControlPlaneStatus.next(object, scale(stalled, OptionalInt.of(95)), NOW)))
                .as("what stands still is said first")
                .endsWith("TooFewNodes");
    }

    @Test
    void filesThatAreWrittenAnewAreTold() throws Exception {
        ControlPlaneObject object = wished("{\"etcd\":{\"size\":3,\"backup\":{\"interval\":\"1h\",\"copies\":1}}}");
        Optional<ScaleReport> report =
                ScaleReport.of(new EtcdScale.Step.Defragment("a"), Optional.empty(), Optional.of("it writes"));
        Json status = ControlPlaneStatus.next(object, scale(report), NOW);
        assertThat(states(status)).containsExactly("False", "True", "False", "Scaling");
        assertThat(condition(status, "Ready", "message"))
                .isEqualTo("the member of node a writes its file anew, of which much is not in use: it writes");
    }

    /** Else a node would begin to leave for a wish of before, and kubectl wait would take an old answer for a new one. */
    @Test
    void whatWasDecidedOnAnotherWishIsNothingToBeginWith() throws Exception {
        String wish = "{\"etcd\":{\"size\":%s,\"backup\":{\"interval\":\"1h\",\"copies\":1}}}";
        Optional<ScaleReport> leaving =
                ScaleReport.of(new EtcdScale.Step.Leave("a"), Optional.empty(), Optional.empty());
        ControlPlaneObject one = wished(wish.formatted("1"));
        Json decided = ControlPlaneStatus.next(one, scale(leaving), NOW);
        assertThat(ScaleReport.decided(with(one, decided))).isEqualTo(leaving);

        ControlPlaneObject three = new ControlPlaneObject(
                ((Json.Fields) with(wished(wish.formatted("3")), decided).object())
                        .with("metadata", Json.object().with("generation", Json.number(4))));
        assertThat(ScaleReport.decided(three)).isEmpty();
        Seen other = seen(Set.of("a"), Set.of("a"), Optional.of(saved("a", Duration.ofMinutes(1))));
        Json status = ControlPlaneStatus.next(three, other, NOW);

        assertThat(status.at("observedGeneration")).isEqualTo(Json.number(4));
        assertThat(states(status)).containsExactly("False", "True", "False", "ScalePending");
        assertThat(ScaleReport.decided(with(three, status))).isEmpty();
    }

    @Test
    void saysWhatIsWaitedForWhereSomebodyElseExchangesTheApiServers() {
        assertThat(ScaleReport.of(new EtcdScale.Step.AwaitApiServers(), Optional.empty(), Optional.empty()))
                .hasValueSatisfying(report -> assertThat(report.words())
                        .contains("API servers learn", "waits for every API server to be exchanged", "ouro status"));
    }

    @Test
    void aNodesOwnPartIsToldUntilItEnds() throws Exception {
        ControlPlaneObject object = wished();
        Seen failed = new Seen(
                TWO,
                TWO,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new ControlPlaneStatus.Own("a", Optional.of(new NodeJob("a", true, "no image")), Optional.empty()),
                CertificateReport.NONE,
                Optional.empty());
        ControlPlaneObject told = with(object, ControlPlaneStatus.next(object, failed, NOW));

        assertThat(NodeJob.of(told, "a")).contains(new NodeJob("a", true, "no image"));
        Seen another = new Seen(
                TWO,
                TWO,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new ControlPlaneStatus.Own("b", Optional.empty(), Optional.empty()),
                CertificateReport.NONE,
                Optional.empty());
        assertThat(NodeJob.of(with(object, ControlPlaneStatus.next(told, another, NOW)), "a"))
                .isPresent();
        assertThat(NodeJob.of(with(object, ControlPlaneStatus.next(told, nothing(), NOW)), "a"))
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

    private static Seen certified(CertificateReport certificates) {
        return new Seen(
                TWO,
                TWO,
                Optional.of(saved("a", Duration.ZERO)),
                Optional.empty(),
                Optional.empty(),
                NO_JOB,
                certificates,
                Optional.empty());
    }

    @Test
    void certificatesThatCouldNotBeIssuedAgainStallUntilTheyCan() throws Exception {
        ControlPlaneObject object = wished("{\"etcd\":{\"backup\":{\"interval\":\"1h\",\"copies\":1}}}");
        CertificateReport failed =
                new CertificateReport(Optional.of(GOOD.failing("no key")), Map.of("b", GOOD.failing("no disk")));
        Json status = ControlPlaneStatus.next(object, certified(failed), NOW);
        assertThat(states(status)).containsExactly("False", "False", "True", "RenewalFailed");
        assertThat(condition(status, "Ready", "message")).isEqualTo("no key; etcd on b: no disk");
        assertThat(CertificateReport.of(with(object, status))).isEqualTo(failed);

        CertificateReport well =
                new CertificateReport(Optional.of(GOOD.failing("no key").renewedAt(NOW)), Map.of("a", GOOD.resting()));
        Json next = ControlPlaneStatus.next(with(object, status), certified(well), NOW);
        assertThat(states(next)).as("node b still says so").endsWith("RenewalFailed");
        Json gone = ControlPlaneStatus.next(with(object, next), seen(Set.of("a"), Set.of("a"), Optional.empty()), NOW);
        assertThat(states(gone)).as("node b is no more").startsWith("True");
        assertThat(gone.at("certificates", "workloads", "renewed")).isEqualTo(Json.text(NOW.toString()));
    }

    @Test
    void certificatesThatAreBeingExchangedTakeNothingAway() throws Exception {
        ControlPlaneObject object = wished("{\"etcd\":{\"backup\":{\"interval\":\"1h\",\"copies\":1}}}");
        CertificateReport renewing = new CertificateReport(Optional.of(GOOD.renewing()), Map.of());
        assertThat(states(ControlPlaneStatus.next(object, certified(renewing), NOW)))
                .containsExactly("True", "True", "False", "RenewingCertificates");
    }

    private static Seen kubelets(KubeletRollReport.State state, long generation, String message) {
        return new Seen(
                Set.of("a"),
                Set.of("a"),
                Optional.of(saved("a", Duration.ofMinutes(1))),
                Optional.empty(),
                Optional.empty(),
                NO_JOB,
                CertificateReport.NONE,
                Optional.of(new KubeletRollReport(state, generation, message)));
    }

    @Test
    void kubeletsAreToldAndStayAsTheLeaderSaid() throws Exception {
        ControlPlaneObject object = wished("{\"kubelet\":{\"config\":{\"maxPods\":50}},\"etcd\":{}}");
        long generation = object.generation();
        Json rolling = ControlPlaneStatus.next(
                object, kubelets(KubeletRollReport.State.ROLLING, generation, "node a gets another kubelet"), NOW);
        assertThat(states(rolling)).containsExactly("False", "True", "False", "RollingKubelets");
        assertThat(ControlPlaneStatus.next(with(object, rolling), nothing(), NOW)
                        .at("kubelet"))
                .as("who does not lead leaves it")
                .isEqualTo(rolling.at("kubelet"));

        Json failed = ControlPlaneStatus.next(
                with(object, rolling), kubelets(KubeletRollReport.State.FAILED, generation, "node a: it ended"), NOW);
        assertThat(states(failed)).containsExactly("False", "False", "True", "KubeletFailed");
        assertThat(condition(failed, "Ready", "message")).isEqualTo("node a: it ended");

        Json current = ControlPlaneStatus.next(
                with(object, failed), kubelets(KubeletRollReport.State.CURRENT, generation, ""), NOW);
        assertThat(states(current)).containsExactly("True", "False", "False", "NoBackups");

        Json older =
                ControlPlaneStatus.next(object, kubelets(KubeletRollReport.State.CURRENT, generation - 1, ""), NOW);
        assertThat(states(older)).containsExactly("False", "True", "False", "KubeletsPending");
    }

    @Test
    void whereNothingIsWishedOfKubeletsNothingIsSaid() throws Exception {
        Json status =
                ControlPlaneStatus.next(wished("{}"), kubelets(KubeletRollReport.State.FAILED, 1, "of before"), NOW);

        assertThat(status.at("kubelet").isNull()).isTrue();
        assertThat(states(status)).containsExactly("True", "False", "False", "NoBackups");
    }
}
