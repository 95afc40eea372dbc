package dev.ouroboros.steward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletReport.State;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node whose kubelet holds processors, and another one for its pods. */
final class KubeletWorkerTest {
    private static final String POLICY = "{'config': {'cpuManagerPolicy': 'static'}}";

    private final FakeApiServer server;
    private final List<String> said = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-29T12:00:00Z");
    private KubeletWorker worker = worker();

    KubeletWorkerTest() throws Exception {
        server = new FakeApiServer(new TestAuthority());
    }

    private KubeletWorker worker() {
        return new KubeletWorker(
                this::client, () -> true, (_, reason, message) -> said.add(reason + " " + message), () -> now);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private ClusterClient client() {
        return ClusterClient.connect(Endpoint.of(
                server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty()));
    }

    private static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void twoNodesAndAPod() {
        server.put(
                "/api/v1",
                Json.object()
                        .with("metadata", Json.object())
                        .with(
                                "resources",
                                json("[{'name': 'pods/eviction', 'group': 'policy', 'version': 'v1beta1'}]")));
        for (String name : List.of("a", "b")) {
            server.put(
                    "/api/v1/nodes/" + name,
                    FakeApiServer.object("v1", "Node", "", name)
                            .with("spec", Json.object())
                            .with("status", json("{'conditions': [{'type': 'Ready', 'status': 'True'}]}")));
        }
        Json.Fields pod = FakeApiServer.object("v1", "Pod", "default", "web");
        Json.Fields metadata = ((Json.Fields) pod.at("metadata"))
                .with("ownerReferences", json("[{'kind': 'ReplicaSet', 'controller': true}]"));
        server.put(
                "/api/v1/namespaces/default/pods/web",
                pod.with("metadata", metadata).with("spec", json("{'nodeName': 'a'}")));
    }

    private void turns(int count, String policy) {
        ControlPlaneObject object =
                new ControlPlaneObject(json("{'metadata': {'generation': 1}, 'spec': {" + policy + "}}"));
        for (int turn = 0; turn < count; turn++) {
            now = now.plusSeconds(10);
            worker.turn(object);
        }
    }

    private Json node(String name) {
        return server.get("/api/v1/nodes/" + name).orElseThrow();
    }

    private boolean isCordoned(String name) {
        return node(name).at("spec", "unschedulable").isTrue();
    }

    private void report(String name, State state) {
        String wish = node(name)
                .at("metadata", "annotations", KubeletWish.ANNOTATION)
                .text()
                .orElse("");
        KubeletReport report = new KubeletReport(state, KubeletReport.digestOf(wish), "base", "x", "it ended");
        Json.Fields metadata = (Json.Fields) node(name).at("metadata");
        Json.Fields annotations = ((Json.Fields) metadata.at("annotations"))
                .with(KubeletReport.ANNOTATION, Json.text(JsonText.text(report.json())));
        server.put(
                "/api/v1/nodes/" + name,
                ((Json.Fields) node(name)).with("metadata", metadata.with("annotations", annotations)));
    }

    @Test
    void aWishThatIsWithdrawnLeavesNoNodeCordoned() {
        turns(4, "'kubelet': " + POLICY.replace('"', '\''));
        assertThat(isCordoned("a")).as("its pod has not left").isTrue();
        assertThat(said).contains("RollingKubelets node a is drained");

        turns(1, "'etcd': {}");

        assertThat(isCordoned("a")).isFalse();
    }

    /** It was paused first, and the next one reads nothing of it in the status. */
    @Test
    void aWishThatIsWithdrawnBeforeTheNextStewardLeadsLeavesNoNodeCordoned() {
        turns(4, "'kubelet': " + POLICY);
        assertThat(isCordoned("a")).isTrue();
        cordonedByACommand("b");

        worker = worker();
        turns(1, "'etcd': {}");

        assertThat(isCordoned("a")).isFalse();
        assertThat(isCordoned("b")).as("a command drains it").isTrue();
    }

    private void cordonedByACommand(String name) {
        Json.Fields metadata = ((Json.Fields) node(name).at("metadata"))
                .with(
                        "annotations",
                        Json.object()
                                .with(
                                        KubeletWish.CORDON_ANNOTATION,
                                        Json.text("{\"begun\":\"2026-11-29T12:00:00Z\",\"digest\":\"d\"}")));
        server.put(
                "/api/v1/nodes/" + name,
                ((Json.Fields) node(name))
                        .with("metadata", metadata)
                        .with("spec", Json.object().with("unschedulable", Json.bool(true))));
    }

    @Test
    void aNodeThatJoinsAfterOneFailedIsNotTouched() {
        turns(4, "'kubelet': " + POLICY);
        server.delete("/api/v1/namespaces/default/pods/web");
        turns(2, "'kubelet': " + POLICY);
        report("a", State.FAILED);
        server.put(
                "/api/v1/nodes/0",
                FakeApiServer.object("v1", "Node", "", "0")
                        .with("spec", Json.object())
                        .with("status", json("{'conditions': [{'type': 'Ready', 'status': 'True'}]}")));

        turns(3, "'kubelet': " + POLICY);

        assertThat(isCordoned("a")).isFalse();
        assertThat(isCordoned("0")).isFalse();
        assertThat(node("0")
                        .at("metadata", "annotations", KubeletWish.ANNOTATION)
                        .isNull())
                .isTrue();
        assertThat(said).anyMatch(event -> event.startsWith("KubeletFailed"));
    }

    /** A flag that its kubelet has not would be found by the first node, and taken back there. */
    @Test
    void aFlagThatAKubeletHasNotIsFoundBeforeAnyNodeIsTold() {
        server.put(
                "/api/v1/nodes/b",
                ((Json.Fields) node("b"))
                        .with(
                                "status",
                                json("{'conditions': [{'type': 'Ready', 'status': 'True'}],"
                                        + " 'nodeInfo': {'kubeletVersion': 'v1.20.2'}}")));

        turns(3, "'kubelet': {'arguments': {'max-podz': '5'}}");

        assertThat(said)
                .singleElement()
                .asString()
                .startsWith("KubeletFailed")
                .contains("spec.kubelet.arguments.max-podz", "kubelet v1.20.2 has no --max-podz");
        assertThat(List.of("a", "b"))
                .allSatisfy(name -> assertThat(node(name)
                                .at("metadata", "annotations", KubeletWish.ANNOTATION)
                                .isNull())
                        .isTrue());
    }

    @Test
    void aNodeThatFailsEndsItAndTakesPodsAgain() {
        turns(4, "'kubelet': " + POLICY);
        server.delete("/api/v1/namespaces/default/pods/web");
        turns(2, "'kubelet': " + POLICY);
        assertThat(node("a")
                        .at("metadata", "annotations", KubeletWish.ANNOTATION)
                        .isNull())
                .isFalse();
        report("a", State.FAILED);

        turns(3, "'kubelet': " + POLICY);

        assertThat(isCordoned("a")).isFalse();
        assertThat(isCordoned("b")).as("no other is touched").isFalse();
        assertThat(said).anyMatch(event -> event.startsWith("KubeletFailed"));
    }
}
