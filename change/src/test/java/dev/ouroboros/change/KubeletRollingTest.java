package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.change.decide.KubeletRoll;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.testing.SilentListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class KubeletRollingTest {
    private final FakeKubelets cluster = new FakeKubelets();

    @BeforeEach
    void threeNodes() {
        cluster.node("a-master", "{'node-role.kubernetes.io/master': ''}", "True");
        cluster.node("worker-1", "{}", "True");
        cluster.node("worker-2", "{}", "True");
    }

    private KubeletRolling rolling() {
        return new KubeletRolling(
                cluster,
                new SilentListener(),
                new Patience(
                        new SilentListener(), Duration.ofSeconds(5), Duration.ofMillis(10), InstantSource.system()),
                new KubeletManner(Duration.ofMillis(50), true));
    }

    private static KubeletWish wish(String text) {
        try {
            return KubeletWish.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private static KubeletRolling.Request request(String text, boolean isAlone) {
        return new KubeletRolling.Request(wish(text), isAlone, false);
    }

    private String wished(String node) {
        return cluster.read(FakeKubelets.NODES + node)
                .at("metadata", "annotations", KubeletWish.ANNOTATION)
                .text()
                .orElse("");
    }

    @Test
    void oneAfterTheOtherWorkersFirst() {
        assertThat(rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false)))
                .containsExactly("a-master", "worker-1", "worker-2");

        assertThat(cluster.order).containsExactly("worker-1", "worker-2", "a-master");
        assertThat(wished("worker-2")).isEqualTo("{\"config\":{\"maxPods\":50}}");
    }

    @Test
    void whatIsWishedAlreadyIsNotWrittenAgain() {
        rolling().set(Set.of("worker-1"), request("{'config': {'maxPods': 50}}", false));
        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));

        assertThat(cluster.order).containsExactly("worker-1", "worker-2", "a-master");
    }

    @Test
    void theFirstThatFailsEndsItAndTheWayBackIsItsAlone() {
        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));
        cluster.order.clear();
        cluster.bad = "nonsense";

        Refusal.of(
                () -> rolling().set(Set.of(), request("{'arguments': {'nonsense': 'x'}}", false)),
                ErrorCode.COMPONENT_FAILED,
                "kubelet of node worker-1",
                "it ended; the node went back, and no other was touched since",
                "ouro kubelet rollback");
        assertThat(cluster.order).containsExactly("worker-1");

        cluster.order.clear();
        assertThat(rolling().takeBack(Set.of())).containsExactly("worker-1");
        assertThat(cluster.order).containsExactly("worker-1");
        assertThat(wished("worker-1")).isEqualTo("{\"config\":{\"maxPods\":50}}");
        assertThat(wished("worker-2")).isEqualTo("{\"config\":{\"maxPods\":50}}");
    }

    @Test
    void aNodeThatFailedEndsItForThoseBeforeItToo() {
        cluster.bad = "nonsense";
        KubeletRolling.Request bad = request("{'arguments': {'nonsense': 'x'}}", false);
        assertThatThrownBy(() -> rolling().set(Set.of("worker-2"), bad)).isInstanceOf(ProblemException.class);
        cluster.order.clear();

        Refusal.of(
                () -> rolling().set(Set.of(), bad),
                ErrorCode.COMPONENT_FAILED,
                "kubelet of node worker-2",
                "no other was touched since",
                "ouro kubelet rollback");

        assertThat(cluster.order).isEmpty();
    }

    @Test
    void theWayBackOfAllIsOfAll() {
        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));
        rolling().takeBack(Set.of());

        assertThat(wished("worker-1")).isEmpty();
        assertThat(wished("a-master")).isEmpty();

        Refusal.of(
                () -> rolling().takeBack(Set.of()),
                ErrorCode.NOT_FOUND,
                "kubelets",
                "there is no change of 'ouro kubelet set' to be taken back",
                "--clear");
        assertThat(wished("worker-1")).as("it does not come back").isEmpty();
    }

    @Test
    void aWayBackThatWasKilledGoesOnAndTurnsNothingRound() {
        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));
        rolling().set(Set.of(), request("{'config': {'maxPods': 60}}", false));
        cluster.writesLeft = 1;
        assertThatThrownBy(() -> rolling().takeBack(Set.of())).isInstanceOf(FakeKubelets.Killed.class);
        assertThat(wished("worker-1")).contains("50");
        assertThat(wished("worker-2")).contains("60");
        cluster.writesLeft = Integer.MAX_VALUE;

        rolling().takeBack(Set.of());

        for (String node : List.of("worker-1", "worker-2", "a-master")) {
            assertThat(wished(node)).as(node).contains("50");
        }
    }

    @Test
    void aChangeThatWasKilledIsOneAndIsTakenBackAsOne() {
        cluster.writesLeft = 1;
        assertThatThrownBy(() -> rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false)))
                .isInstanceOf(FakeKubelets.Killed.class);
        cluster.writesLeft = Integer.MAX_VALUE;
        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));

        assertThat(rolling().takeBack(Set.of())).containsExactly("a-master", "worker-1", "worker-2");
        assertThat(wished("worker-1")).isEmpty();
    }

    @Test
    void whatFailedIsTriedOnceMoreWhereItFailed() {
        cluster.bad = "50";
        assertThatThrownBy(() -> rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false)))
                .isInstanceOf(ProblemException.class);
        cluster.bad = "none";

        rolling().set(Set.of(), new KubeletRolling.Request(wish("{'config': {'maxPods': 50}}"), false, true));

        assertThat(wished("worker-1")).isEqualTo("{\"config\":{\"maxPods\":50},\"attempt\":\"1\"}");
        assertThat(wished("worker-2")).isEqualTo("{\"config\":{\"maxPods\":50}}");
    }

    @Test
    void theWayBackAfterAnotherTryIsWhatWasBeforeTheFirst() {
        rolling().set(Set.of(), request("{'arguments': {'v': '2'}}", false));
        cluster.bad = "50";
        assertThatThrownBy(() -> rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false)))
                .isInstanceOf(ProblemException.class);
        cluster.bad = "none";
        rolling().set(Set.of(), new KubeletRolling.Request(wish("{'config': {'maxPods': 50}}"), false, true));

        rolling().takeBack(Set.of());

        for (String node : List.of("worker-1", "worker-2", "a-master")) {
            assertThat(wished(node)).as(node).isEqualTo("{\"arguments\":{\"v\":\"2\"}}");
        }
    }

    @Test
    void oneThatIsOffHoldsUpNobodyWhenAllIsDone() {
        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));
        cluster.ready("worker-1", "Unknown");

        assertThat(rolling()
                        .step(wish("{'config': {'maxPods': 50}}"), KubeletRoll.State.BEGIN, Instant.EPOCH, _ -> {})
                        .isDone())
                .isTrue();
    }

    @Test
    void aNodeThatIsNotReadyIsToldOfTheWayBack() {
        rolling().set(Set.of("worker-1"), request("{'config': {'maxPods': 50}}", false));
        cluster.ready("worker-1", "Unknown");
        cluster.becomesReady = "worker-1";

        rolling().takeBack(Set.of());

        assertThat(wished("worker-1")).isEmpty();
    }

    @Test
    void aNodeThatIsTakenAwayMeanwhileIsNotWaitedFor() {
        cluster.leaves = "worker-2";

        rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false));

        assertThat(cluster.order).containsExactly("worker-1", "a-master");
    }

    @Test
    void nothingIsKeptWhereThatIsWished() {
        rolling().set(Set.of("worker-1"), request("{'config': {'maxPods': 50}}", false));
        rolling().set(Set.of("worker-1"), request("{'arguments': {'v': '4'}}", true));

        assertThat(wished("worker-1")).isEqualTo("{\"arguments\":{\"v\":\"4\"}}");
    }

    @Test
    void aNodeThatIsAwayIsNotBegun() {
        cluster.node("worker-1", "{}", "Unknown");

        Refusal.of(
                () -> rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false)),
                ErrorCode.CHANGE_REFUSED,
                "Node worker-1",
                "is not Ready with the kubelet that it was made with",
                "--node");
        assertThat(cluster.order).isEmpty();
    }

    @Test
    void whatIsNotThereIsNamed() {
        Refusal.of(
                () -> rolling().set(Set.of("worker-9"), request("{'config': {'maxPods': 50}}", false)),
                ErrorCode.NOT_FOUND,
                "Node worker-9",
                "there is none",
                "kubectl get nodes");
        Refusal.of(
                () -> rolling().takeBack(Set.of()),
                ErrorCode.NOT_FOUND,
                "kubelets",
                "there is no change of 'ouro kubelet set' to be taken back",
                "ouro kubelet status");
    }

    @Test
    void whatSomebodyWroteWrongIsNamed() {
        Json node = cluster.read(FakeKubelets.NODES + "worker-1");
        Json.Fields metadata = ((Json.Fields) node.at("metadata"))
                .with("annotations", Json.object().with(KubeletWish.ANNOTATION, Json.text("maxPods=50")));
        cluster.objects.put(FakeKubelets.NODES + "worker-1", ((Json.Fields) node).with("metadata", metadata));

        Refusal.of(
                () -> rolling().set(Set.of(), request("{'config': {'maxPods': 50}}", false)),
                ErrorCode.INVALID_CONFIG,
                "Node worker-1, annotation ouroboros.dev/kubelet",
                "",
                "ouro kubelet set --clear");
    }

    @Test
    void whereTheStewardSeesToKubeletsNobodyElseDoes() {
        String object = "/apis/ouroboros.dev/v1alpha1/controlplanes/cluster";
        WishedKubelets.requireNone(cluster);
        cluster.objects.put(object, json("{'metadata': {'name': 'cluster'}, 'spec': {'etcd': {}}}"));
        WishedKubelets.requireNone(cluster);
        cluster.objects.put(
                object, json("{'metadata': {'name': 'cluster'}, 'spec': {'paused': true, 'kubelet': {'config': {}}}}"));
        WishedKubelets.requireNone(cluster);
        cluster.objects.put(object, json("{'metadata': {'name': 'cluster'}, 'spec': {'kubelet': {'config': {}}}}"));

        Refusal.of(
                () -> WishedKubelets.requireNone(cluster),
                ErrorCode.CHANGE_REFUSED,
                "ControlPlane/cluster",
                "the steward sees to it",
                "kubectl edit controlplane cluster");
    }

    @Test
    void aStepAtATimeLeadsToTheSameEnd() {
        KubeletRoll.State state = KubeletRoll.State.BEGIN;
        Instant now = Instant.parse("2026-11-29T12:00:00Z");
        KubeletRolling.Step step = rolling().step(wish("{'config': {'maxPods': 50}}"), state, now, _ -> {});
        assertThat(step.done()).contains("node worker-1 gets another kubelet");
        for (int turn = 0; turn < 20 && !step.isDone(); turn++) {
            now = now.plusSeconds(1);
            step = rolling().step(wish("{'config': {'maxPods': 50}}"), step.state(), now, _ -> {});
        }

        assertThat(step.isDone()).isTrue();
        assertThat(cluster.order).containsExactly("worker-1", "worker-2", "a-master");
    }
}
