package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.change.decide.KubeletManner;
import dev.ouroboros.change.decide.KubeletRoll;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport.State;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods leave a node before a kubelet that is not to be exchanged under them. */
final class KubeletDrainTest {
    private static final String POLICY = "{'config': {'cpuManagerPolicy': 'static'}}";
    private static final String DIGEST = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    private static final List<String> ONE_AFTER_THE_OTHER = List.of(
            "cordon worker-1",
            "evict web",
            "worker-1",
            "uncordon worker-1",
            "cordon worker-2",
            "evict other",
            "worker-2",
            "uncordon worker-2");

    private final FakeKubelets cluster = new FakeKubelets();
    private final AtomicLong halfSeconds = new AtomicLong();

    @BeforeEach
    void aNodeWithPods() {
        cluster.node("worker-1", "{}", "True");
        cluster.node("worker-2", "{}", "True");
        cluster.objects.put(
                "/api/v1",
                json("{'metadata': {}, 'resources': [{'name': 'pods'}, {'name': 'pods/eviction', 'group': 'policy',"
                        + " 'version': 'v1beta1', 'kind': 'Eviction'}]}"));
        pod("web", "worker-1", "'ownerReferences': [{'kind': 'ReplicaSet', 'controller': true}]", "nginx");
        pod("log", "worker-1", "'ownerReferences': [{'kind': 'DaemonSet', 'controller': true}]", "log");
        pod("bare", "worker-1", "'labels': {}", "bare");
        pod("etcd-worker-1", "worker-1", "'annotations': {'kubernetes.io/config.mirror': 'x'}", "etcd");
        pod("leader", "worker-1", "'ownerReferences': [{'kind': 'ReplicaSet', 'controller': true}]", "kube-scheduler");
        pod("other", "worker-2", "'ownerReferences': [{'kind': 'ReplicaSet', 'controller': true}]", "nginx");
    }

    private void pod(String name, String node, String metadata, String container) {
        cluster.objects.put(
                "/api/v1/namespaces/default/pods/" + name,
                json("{'metadata': {'name': '" + name + "', 'namespace': 'default', 'uid': '" + name + "', " + metadata
                        + "}, 'spec': {'nodeName': '" + node + "', 'containers': [{'name': '" + container
                        + "'}]}, 'status': {'phase': 'Running'}}"));
    }

    private KubeletRolling rolling(boolean isDraining) {
        InstantSource clock = () -> Instant.EPOCH.plusMillis(500 * halfSeconds.incrementAndGet());
        return new KubeletRolling(
                cluster,
                new SilentListener(),
                new Patience(new SilentListener(), Duration.ofSeconds(40), Duration.ofMillis(1), clock),
                new KubeletManner(Duration.ofSeconds(2), isDraining));
    }

    private static KubeletRolling.Request request(String text) {
        try {
            return new KubeletRolling.Request(KubeletWish.read(text.replace('\'', '"')), false, false);
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private boolean isCordoned(String node) {
        Json read = cluster.read(FakeKubelets.NODES + node);
        return read.at("spec", "unschedulable").isTrue()
                || !read.at("metadata", "annotations", KubeletWish.CORDON_ANNOTATION)
                        .isNull();
    }

    private String wished(String node) {
        return cluster.read(FakeKubelets.NODES + node)
                .at("metadata", "annotations", KubeletWish.ANNOTATION)
                .text()
                .orElse("");
    }

    private void version(String node, String version) {
        Json.Fields read = (Json.Fields) cluster.read(FakeKubelets.NODES + node);
        Json.Fields status = ((Json.Fields) read.at("status"))
                .with("nodeInfo", Json.object().with("kubeletVersion", Json.text(version)));
        cluster.objects.put(FakeKubelets.NODES + node, read.with("status", status));
    }

    @Test
    void whoeverIsMadeAnewElsewhereLeavesFirst() {
        rolling(true).set(Set.of(), request(POLICY));

        assertThat(cluster.order).containsExactlyElementsOf(ONE_AFTER_THE_OTHER);
        assertThat(isCordoned("worker-1") || isCordoned("worker-2")).isFalse();
    }

    @Test
    void aBudgetIsWaitedFor() {
        cluster.budgets = 2;

        rolling(true).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order)
                .containsExactly(
                        "cordon worker-1", "evict web", "evict web", "evict web", "worker-1", "uncordon worker-1");
    }

    @Test
    void aBudgetThatNeverAllowsItIsNamedAndNoNodeIsLeftCordoned() {
        cluster.budgets = Integer.MAX_VALUE;

        Refusal.of(
                () -> rolling(true).set(Set.of("worker-1"), request(POLICY)),
                ErrorCode.TIMEOUT,
                "--timeout",
                "node worker-1 to be drained for cpuManagerPolicy: default/web (default/web: would violate the budget)",
                "run the same command again");
        assertThat(cluster.order).doesNotContain("worker-1").last().isEqualTo("uncordon worker-1");
        assertThat(isCordoned("worker-1")).isFalse();
    }

    @Test
    void whatSomebodyElseCordonedStaysSo() {
        Json.Fields node = (Json.Fields) cluster.read(FakeKubelets.NODES + "worker-1");
        cluster.objects.put(
                FakeKubelets.NODES + "worker-1",
                node.with("spec", Json.object().with("unschedulable", Json.bool(true))));

        rolling(true).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order).containsExactly("evict web", "worker-1");
        assertThat(isCordoned("worker-1")).isTrue();
    }

    @Test
    void theOnlyNodeKeepsItsPods() {
        cluster.ready("worker-2", "Unknown");

        rolling(true).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order).containsExactly("worker-1");
    }

    @Test
    void aNodeThatIsNotReadyForAMomentIsWaitedFor() {
        rolling(true).set(Set.of(), request("{'arguments': {'v': '2'}}"));
        cluster.order.clear();
        cluster.ready("worker-1", "Unknown");

        Refusal.of(
                () -> rolling(true).set(Set.of(), request(POLICY)),
                ErrorCode.TIMEOUT,
                "--timeout",
                "node worker-1 to be Ready, to be drained",
                "run the same command again");
        assertThat(cluster.order).isEmpty();

        cluster.ready("worker-1", "True");
        rolling(true).set(Set.of(), request(POLICY));
        assertThat(cluster.order).containsExactlyElementsOf(ONE_AFTER_THE_OTHER);
    }

    /** Another kubelet may be what brings it back. */
    @Test
    void aNodeWhoseKubeletDidNotRunIsNotWaitedFor() {
        rolling(true).set(Set.of("worker-1"), request("{'arguments': {'v': '2'}}"));
        cluster.order.clear();
        cluster.report(FakeKubelets.NODES + "worker-1", "{\"arguments\":{\"v\":\"2\"}}", State.FAILED);
        cluster.ready("worker-1", "Unknown");
        cluster.becomesReady = "worker-1";

        rolling(true).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order).containsExactly("worker-1");
    }

    @Test
    void aNodeThatTakesNoUsualPodsIsNoPlaceToGo() {
        Json.Fields node = (Json.Fields) cluster.read(FakeKubelets.NODES + "worker-2");
        cluster.objects.put(
                FakeKubelets.NODES + "worker-2",
                node.with("spec", json("{'taints': [{'key': 'x', 'effect': 'NoSchedule'}]}")));

        rolling(true).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order).containsExactly("worker-1");
    }

    /** What was begun for the sake of its pods is not done under them. */
    @Test
    void whereTheOtherNodeGoesAwayMeanwhileItIsWaitedFor() {
        cluster.budgets = Integer.MAX_VALUE;
        cluster.leavesAtEviction = "worker-2";

        assertThatThrownBy(() -> rolling(true).set(Set.of("worker-1"), request(POLICY)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("another node that takes the pods of node worker-1");
        assertThat(cluster.order).doesNotContain("worker-1").last().isEqualTo("uncordon worker-1");
    }

    /** An operator that pins its pods makes them anew there, whoever takes pods. */
    @Test
    void aPodThatComesBackIsNotWaitedFor() {
        cluster.comesBack = true;

        rolling(true).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "worker-1", "uncordon worker-1");
    }

    @Test
    void anotherTryIsDrainedAgainAndTheWayBackIsNot() {
        cluster.bad = "static";
        assertThatThrownBy(() -> rolling(true).set(Set.of("worker-1"), request(POLICY)))
                .isInstanceOf(ProblemException.class);
        pod("web", "worker-1", "'ownerReferences': [{'kind': 'ReplicaSet', 'controller': true}]", "nginx");
        cluster.order.clear();

        assertThatThrownBy(() -> rolling(true)
                        .set(Set.of("worker-1"), new KubeletRolling.Request(KubeletWish.NOTHING, false, true)))
                .isInstanceOf(ProblemException.class);
        assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "worker-1", "uncordon worker-1");

        cluster.order.clear();
        rolling(true).takeBack(Set.of());
        assertThat(cluster.order).as("the former kubelet runs").containsExactly("worker-1");
        assertThat(wished("worker-1")).as("what was before the first try").isEmpty();
    }

    /** What was wished last and failed never ran, and is neither what pods hold something of nor a way back. */
    @Test
    void whatFailedIsNoWayBackAndAnotherChangeAfterItIsDrained() {
        cluster.bad = "static";
        assertThatThrownBy(() -> rolling(true).set(Set.of("worker-1"), request(POLICY)))
                .isInstanceOf(ProblemException.class);
        assertThatThrownBy(() -> rolling(true).set(Set.of("worker-1"), request("{'arguments': {'v': '2'}}")))
                .isInstanceOf(ProblemException.class);
        pod("web", "worker-1", "'ownerReferences': [{'kind': 'ReplicaSet', 'controller': true}]", "nginx");
        cluster.order.clear();

        assertThatThrownBy(() -> rolling(true).set(Set.of("worker-1"), request("{'arguments': {'v': '3'}}")))
                .isInstanceOf(ProblemException.class);
        assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "worker-1", "uncordon worker-1");

        rolling(true).takeBack(Set.of());
        assertThat(wished("worker-1")).isEmpty();
    }

    @Test
    void whoLooksAgainAndAgainDrainsForEachTry() {
        cluster.bad = "static";
        for (String attempt : List.of("1", "2", "3")) {
            pod("web", "worker-1", "'ownerReferences': [{'kind': 'ReplicaSet', 'controller': true}]", "nginx");
            cluster.order.clear();

            assertThatThrownBy(() -> steps(request(POLICY.replace("}}", "}, 'attempt': '" + attempt + "'}"))
                            .more()))
                    .isInstanceOf(ProblemException.class);

            assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "worker-1", "uncordon worker-1");
        }

        rolling(true).takeBack(Set.of());
        assertThat(wished("worker-1")).isEmpty();
    }

    @Test
    void aProgramThatNobodyBroughtIsNotLeftWished() {
        version("worker-1", "v1.20.2");
        cluster.waits = "v1.21.0";

        Refusal.of(
                () -> rolling(true)
                        .set(
                                Set.of("worker-1"),
                                request("{'program': {'version': 'v1.21.0', 'digest': '" + DIGEST + "'}}")),
                ErrorCode.TIMEOUT,
                "--timeout",
                "node worker-1",
                "run the same command again");
        assertThat(isCordoned("worker-1")).isFalse();
        assertThat(wished("worker-1")).isEmpty();
    }

    /** A keeper says which there are, so that no pod leaves for one that is not. */
    @Test
    void noPodLeavesForAProgramThatNobodyBrought() {
        version("worker-1", "v1.20.2");
        KubeletRolling.Request request = request("{'program': {'version': 'v1.21.0', 'digest': '" + DIGEST + "'}}");
        cluster.programs = Optional.of(Set.of());
        cluster.report(FakeKubelets.NODES + "worker-1", "", State.RUNNING);

        Refusal.of(
                () -> rolling(true).set(Set.of("worker-1"), request),
                ErrorCode.TIMEOUT,
                "--timeout",
                "node worker-1: the kubelet with SHA-256 " + DIGEST + " is not on it",
                "run the same command again");
        assertThat(cluster.order).isEmpty();

        cluster.programs = Optional.of(Set.of(DIGEST));
        cluster.report(FakeKubelets.NODES + "worker-1", "", State.RUNNING);
        rolling(true).set(Set.of("worker-1"), request);
        assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "worker-1", "uncordon worker-1");
    }

    /** Somebody else wants it so now. */
    @Test
    void whatSomebodyElseUncordonedAndCordonedAgainIsTheirs() {
        cluster.writesLeft = 1;
        assertThatThrownBy(() -> rolling(true).set(Set.of(), request(POLICY))).isInstanceOf(FakeKubelets.Killed.class);
        cluster.writesLeft = Integer.MAX_VALUE;
        Json.Fields node = (Json.Fields) cluster.read(FakeKubelets.NODES + "worker-1");
        cluster.objects.put(FakeKubelets.NODES + "worker-1", node.with("spec", Json.object()));

        rolling(true).set(Set.of("worker-1"), request("{'config': {'maxPods': 50}}"));

        assertThat(cluster.read(FakeKubelets.NODES + "worker-1")
                        .at("metadata", "annotations", KubeletWish.CORDON_ANNOTATION)
                        .isNull())
                .as("no mark is left by which we would take it for ours")
                .isTrue();
    }

    /** The change before it is over, and stays. */
    @Test
    void theWayBackOfADrainThatWasKilledIsItsAlone() {
        rolling(true).set(Set.of(), request("{'config': {'maxPods': 50}}"));
        cluster.writesLeft = 1;
        assertThatThrownBy(() -> rolling(true).set(Set.of(), request(POLICY))).isInstanceOf(FakeKubelets.Killed.class);
        cluster.writesLeft = Integer.MAX_VALUE;

        assertThat(rolling(true).takeBack(Set.of())).containsExactly("worker-1");

        assertThat(isCordoned("worker-1")).isFalse();
        assertThat(wished("worker-2")).isEqualTo("{\"config\":{\"maxPods\":50}}");
    }

    @Test
    void whoDoesNotWantItIsNotGivenIt() {
        rolling(false).set(Set.of("worker-1"), request(POLICY));

        assertThat(cluster.order).containsExactly("worker-1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1.20.9", "v1.21.0"})
    void anotherMinorVersionIsNotExchangedUnderPods(String version) {
        version("worker-1", "v1.20.2");

        rolling(true)
                .set(
                        Set.of("worker-1"),
                        request("{'program': {'version': '" + version + "', 'digest': '" + DIGEST + "'}}"));

        assertThat(cluster.order.contains("evict web")).isEqualTo(version.equals("v1.21.0"));
    }

    @Test
    void aKubeletThatDoesNotRunLeavesNoNodeCordoned() {
        cluster.bad = "static";

        assertThatThrownBy(() -> rolling(true).set(Set.of(), request(POLICY))).isInstanceOf(ProblemException.class);

        assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "worker-1", "uncordon worker-1");
    }

    @Test
    void whoWasKilledGoesOnAndTheWayBackUncordons() {
        cluster.writesLeft = 1;
        assertThatThrownBy(() -> rolling(true).set(Set.of(), request(POLICY))).isInstanceOf(FakeKubelets.Killed.class);
        assertThat(isCordoned("worker-1")).isTrue();
        cluster.writesLeft = Integer.MAX_VALUE;

        rolling(true).takeBack(Set.of());
        assertThat(isCordoned("worker-1")).isFalse();
        assertThat(cluster.order).containsExactly("cordon worker-1", "evict web", "uncordon worker-1");

        cluster.order.clear();
        rolling(true).set(Set.of("worker-1"), request(POLICY));
        assertThat(cluster.order).containsExactly("cordon worker-1", "worker-1", "uncordon worker-1");
    }

    @Test
    void whoLooksAgainAndAgainComesToTheSameEnd() {
        assertThat(steps(request(POLICY).more())).isTrue();
        assertThat(cluster.order).containsExactlyElementsOf(ONE_AFTER_THE_OTHER);
    }

    /** @return whether they came to an end */
    private boolean steps(KubeletWish wish) {
        KubeletRoll.State state = KubeletRoll.State.BEGIN;
        Instant now = Instant.EPOCH;
        boolean isDone = false;
        for (int turn = 0; turn < 50 && !isDone; turn++) {
            now = now.plusSeconds(3);
            KubeletRolling.Step step = rolling(true).step(wish, state, now, _ -> {});
            state = step.state();
            isDone = step.isDone();
        }
        return isDone;
    }
}
