package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OtherServerPodsTest {
    private static final String PODS = "/api/v1/namespaces/kube-system/pods/";

    private Cluster cluster;
    private OtherServerPods pods;

    @BeforeEach
    void begin(@TempDir Path directory) throws Exception {
        cluster = new Cluster(directory);
        pods = new OtherServerPods(cluster.client, cluster.guard, "node-1", cluster, new Signal(cluster));
        pod("own", "node-1", "Running");
        pod("other", "node-2", "Running");
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private static Json.Fields spec(String image) {
        Json.Fields container = Json.object()
                .with("name", Json.text("kube-apiserver"))
                .with("image", Json.text(image))
                .with("command", Json.texts(List.of("kube-apiserver")));
        return Json.object().with("containers", Json.items(Stream.of(container)));
    }

    private static Json.Fields metadata(Json.Fields object) {
        return ((Json.Fields) object.at("metadata"))
                .with("annotations", Json.object().with("ouroboros.dev/checkpoint", Json.text("true")))
                .with("labels", Json.object().with("k8s-app", Json.text("kube-apiserver")));
    }

    private void pod(String name, String node, String phase) {
        Json.Fields pod = FakeApiServer.object("v1", "Pod", "kube-system", name);
        cluster.server.put(
                PODS + name,
                pod.with("metadata", metadata(pod))
                        .with("spec", spec("localhost/it:1").with("nodeName", Json.text(node)))
                        .with("status", Json.object().with("phase", Json.text(phase))));
    }

    private static ControllerSeen set(String image, long nodes, long updated) {
        return set(image, nodes, updated, 1);
    }

    /** The API server's DaemonSet: so many pods in all, so many of its present template. */
    private static ControllerSeen set(String image, long nodes, long updated, long generation) {
        Json.Fields set = FakeApiServer.object("apps/v1", "DaemonSet", "kube-system", "kube-apiserver");
        Json.Fields template = Json.object().with("metadata", metadata(set)).with("spec", spec(image));
        Json.Fields labels = Json.object().with("k8s-app", Json.text("kube-apiserver"));
        return ControllerSeen.daemonSet(set.with(
                        "metadata", ((Json.Fields) set.at("metadata")).with("generation", Json.number(generation)))
                .with(
                        "spec",
                        Json.object()
                                .with("selector", Json.object().with("matchLabels", labels))
                                .with("template", template))
                .with(
                        "status",
                        Json.object()
                                .with("observedGeneration", Json.number(generation))
                                .with("desiredNumberScheduled", Json.number(nodes))
                                .with("updatedNumberScheduled", Json.number(updated))));
    }

    private long lists() {
        return cluster.server.requests().stream()
                .filter(request -> request.startsWith("GET /api/v1/namespaces/kube-system/pods?"))
                .count();
    }

    @Test
    void thoseOfOtherNodesThatMayServeAreRead() {
        pod("failed", "node-3", "Failed");
        pod("nowhere", "", "Pending");
        ControllerSeen asked = set("localhost/it:2", 3, 1);
        assertThat(pods.of(asked)).isInstanceOf(Evidence.Unknown.class);

        pods.look(asked);
        pods.look(asked);

        assertThat(names(asked)).contains(List.of("node-2/other"));
        assertThat(lists()).isEqualTo(1);
    }

    /** The Node was deleted, and so the DaemonSet wants no pod there any more; the pod goes later. */
    @Test
    void oneThatGoesLaterThanTheDaemonSetTellsIsNotWaitedForEver() {
        ControllerSeen asked = set("localhost/it:2", 2, 1);
        pods.look(asked);
        cluster.server.delete(PODS + "other");
        pods.look(asked);
        assertThat(names(asked)).as("not asked all the time").contains(List.of("node-2/other"));

        cluster.later(Duration.ofSeconds(10));
        pods.look(asked);
        assertThat(names(asked)).contains(List.of());
    }

    @Test
    void whatWasReadForATemplateIsNotBelievedAfterThereWasAnother() {
        pods.look(set("localhost/it:2", 3, 1, 1));
        assertThat(names(set("localhost/it:2", 3, 1, 3)))
                .as("the same template again, after another one that was never looked at")
                .isEmpty();
    }

    private Optional<List<String>> names(ControllerSeen asked) {
        return pods.of(asked) instanceof Evidence.Known<SortedMap<String, Json>>(var known)
                ? Optional.of(List.copyOf(known.keySet()))
                : Optional.empty();
    }

    @Test
    void anotherTemplateAndOnePodMoreOfItAreReasonsToReadAgain() {
        pods.look(set("localhost/it:2", 3, 1));
        assertThat(names(set("localhost/it:3", 3, 1))).isEmpty();
        pods.look(set("localhost/it:3", 3, 1));
        assertThat(names(set("localhost/it:3", 3, 1))).contains(List.of("node-2/other"));

        cluster.server.delete(PODS + "other");
        pod("another", "node-2", "Running");
        pods.look(set("localhost/it:3", 3, 2));

        assertThat(names(set("localhost/it:3", 3, 2))).contains(List.of("node-2/another"));
        assertThat(lists()).isEqualTo(3);
    }

    @Test
    void nothingIsAskedWhereAllPodsAreOfTheTemplateOrThereIsOne() {
        for (ControllerSeen asked : List.of(set("localhost/it:2", 3, 3), set("localhost/it:2", 1, 0))) {
            pods.look(asked);
            assertThat(names(asked)).contains(List.of());
        }
        assertThat(lists()).isZero();
    }

    @Test
    void isUnknownWhileTheApiDoesNotAnswerAndSaysWhy() {
        cluster.server.fault("GET /api/v1/namespaces/kube-system/pods?", new Fault.Status(500, Map.of()));
        ControllerSeen asked = set("localhost/it:2", 3, 1);
        pods.look(asked);
        assertThat(pods.of(asked))
                .isInstanceOfSatisfying(
                        Evidence.Unknown.class,
                        unknown -> assertThat(unknown.reason())
                                .startsWith("pods of the API server on other nodes: ")
                                .contains("500"));

        cluster.server.heal();
        cluster.later(Duration.ofSeconds(2));
        pods.look(asked);
        assertThat(names(asked)).contains(List.of("node-2/other"));

        cluster.server.fault("GET /api/v1/namespaces/kube-system/pods?", new Fault.Status(500, Map.of()));
        cluster.later(Duration.ofSeconds(10));
        pods.look(asked);
        assertThat(names(asked)).as("none becomes one of an earlier template").contains(List.of("node-2/other"));
    }
}
