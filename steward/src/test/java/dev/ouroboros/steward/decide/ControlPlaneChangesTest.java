package dev.ouroboros.steward.decide;

import static dev.ouroboros.steward.decide.StatusOfTwoNodes.NOW;
import static dev.ouroboros.steward.decide.StatusOfTwoNodes.NO_JOB;
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
import dev.ouroboros.steward.decide.CertificateReport.Standing;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Seen;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the status says of changes that are under way: of the number of members, of certificates and of kubelets. */
final class ControlPlaneChangesTest {
    private static final Standing GOOD = Standing.unknown()
            .showing("kube-scheduler kubeconfig", Optional.of(NOW.plus(Duration.ofDays(300))), Optional.of(NOW));

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
