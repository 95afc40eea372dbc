package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code ouro upgrade} of a cluster with two control-plane nodes and two workers, of which one is off: the same release with other flags. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class NodesUpgradeE2eTest {
    private static final String NAME = "e2e-wide";
    private static final String CONTROL_PLANE = NAME + "-2";
    private static final String WORKER = NAME + "-3";
    private static final String OFF = NAME + "-4";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration INTERVAL = Duration.ofMillis(200);
    private static final String FLAG = "--v=3";

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);
    private final UpgradeRuns upgrade = new UpgradeRuns(ouro);

    @TempDir
    private Path directory = Path.of("");

    @BeforeAll
    void up() throws Exception {
        ouro.up("--control-planes", "2", "--workers", "2");
        try (ControlPlane plane = new ControlPlane(ouro)) {
            plane.awaitRest();
        }
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void aWorkerThatIsOffHoldsUpNoOtherAndNoRequestFails() throws Exception {
        nodes.off(OFF);
        Await.until("the node is known to be off", Duration.ofMinutes(3), () -> "", () -> !nodes.isReady(OFF));
        Path document = document();

        Result planned = upgrade.run(upgrade.command("plan", "--config", document.toString()));
        assertThat(planned.exitCode()).as(planned.output()).isZero();
        assertThat(planned.output()).contains("Node " + OFF);
        try (NamespaceProbe first = nodes.probeOn(NAME, PATIENCE, INTERVAL);
                NamespaceProbe worker = nodes.probeOn(WORKER, PATIENCE, INTERVAL)) {
            Result applied = upgrade.run(upgrade.command("apply", "--config", document.toString()));

            assertThat(applied.exitCode()).as(applied.error()).isZero();
            assertThat(applied.error()).contains("away: node " + OFF);
            first.requireNoFailedRequest();
            worker.requireNoFailedRequest();
        }
        assertThat(flagged("kube-apiserver")).containsEntry(NAME, true).containsEntry(CONTROL_PLANE, true);
        assertThat(flagged("kube-proxy"))
                .containsEntry(NAME, true)
                .containsEntry(CONTROL_PLANE, true)
                .containsEntry(WORKER, true);
    }

    @Test
    @Order(2)
    void thereIsNothingLeftToDoWhileItIsOff() throws Exception {
        Result again =
                upgrade.run(upgrade.command("apply", "--config", document().toString()));
        assertThat(again.exitCode()).as(again.error()).isZero();
    }

    @Test
    @Order(3)
    void whatRunsThereFollowsWhenItIsBack() throws Exception {
        nodes.on(OFF);
        Await.until("the node is ready", Duration.ofMinutes(5), () -> "", () -> nodes.isReady(OFF));
        Await.until(
                "its kube-proxy is of the target",
                Duration.ofMinutes(5),
                () -> flagged("kube-proxy").toString(),
                () -> flagged("kube-proxy").getOrDefault(OFF, false));
        try (ControlPlane plane = new ControlPlane(ouro)) {
            plane.awaitRest();
        }
    }

    /** Whether the pod of a component that is ready on a node has the flag. */
    private Map<String, Boolean> flagged(String component) throws IOException {
        Map<String, Boolean> found = new TreeMap<>();
        JsonNode pods = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=" + component);
        for (JsonNode pod : pods.path("items")) {
            boolean isReady = StreamSupport.stream(pod.at("/status/conditions").spliterator(), false)
                    .anyMatch(condition -> condition.path("type").asText().equals("Ready")
                            && condition.path("status").asText().equals("True"));
            boolean isEnding = pod.path("metadata").has("deletionTimestamp");
            if (isReady && !isEnding) {
                found.put(
                        pod.at("/spec/nodeName").asText(),
                        StreamSupport.stream(
                                        pod.at("/spec/containers/0/command").spliterator(), false)
                                .anyMatch(word -> word.asText().equals(FLAG)));
            }
        }
        return found;
    }

    private Path document() throws IOException {
        String before = Files.readString(Path.of("/var/lib/ouroboros/sandboxes", NAME, "cluster.yaml"));
        String keeper = "  keeper:\n    enabled: true\n";
        String flags = "  extraArgs:\n    kubeApiserver: {v: \"3\"}\n    kubeProxy: {v: \"3\"}\n";
        assertThat(before).contains(keeper);
        return Files.writeString(
                directory.resolve("cluster.yaml"),
                before.contains(flags) ? before : before.replace(keeper, keeper + flags));
    }
}
