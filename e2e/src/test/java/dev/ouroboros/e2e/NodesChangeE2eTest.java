package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Changes of the API server of a cluster with three control-plane nodes: one node after the other, and a bad one on one node only. */
@Tag("e2e")
@Tag("long")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class NodesChangeE2eTest {
    private static final String NAME = "e2e-three";
    private static final List<String> NODES = List.of(NAME, NAME + "-2", NAME + "-3");
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Ten connections a second on each of two nodes, beside three control planes on this machine's processors. */
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);

    @SuppressWarnings("NullAway.Init") // made before the first test
    private ControlPlane plane;

    @SuppressWarnings("NullAway.Init") // made before the first test
    private ApiServerChange change;

    @BeforeAll
    void up() throws Exception {
        ouro.up("--control-planes", "2");
        // No certificate names it: it is made a control-plane node later.
        ouro.jsonPlain("node", "add", "--control-plane", "--name", NAME, "-o", "json");
        plane = new ControlPlane(ouro);
        plane.awaitRest();
        change = new ApiServerChange(ouro, plane);
    }

    @AfterAll
    void down() {
        plane.close();
        ouro.down();
    }

    @Test
    @Order(1)
    void threeServersChangeOneAfterTheOtherAndNoRequestFails() throws Exception {
        Set<String> before = servers();
        assertThat(before).hasSize(NODES.size());
        List<String> story = new ArrayList<>();
        try (NamespaceProbe first = probeOn(NODES.getFirst());
                NamespaceProbe last = probeOn(NODES.getLast())) {
            change.taken(() -> ouro.kubectl("set", "env", ApiServerChange.DAEMON_SET, ApiServerChange.SYSTEM, "NEW=1"));
            Await.until("the change is done", Duration.ofMinutes(15), () -> String.join("\n", story), () -> {
                String said = change.annotation("state") + " on " + change.annotation("node");
                if (story.isEmpty() || !story.getLast().equals(said)) {
                    story.add(said);
                    System.err.println(said);
                }
                return said.startsWith("Done ");
            });
            assertThat(servers())
                    .as("it is done when the last one is")
                    .hasSize(NODES.size())
                    .doesNotContainAnyElementsOf(before);
            first.requireNoFailedRequest();
            last.requireNoFailedRequest();
        }
        assertThat(story.stream().filter(said -> !said.startsWith("Waiting ")))
                .as("nobody writes over what another one says")
                .doesNotHaveDuplicates();
        for (String node : NODES) {
            assertThat(story).anyMatch(said -> said.startsWith("Replacing on " + node));
        }
    }

    @Test
    @Order(2)
    void aBadFlagStopsAtTheFirstNode() throws Exception {
        Set<String> before = servers();
        try (NamespaceProbe probe = probeOn(NODES.getLast())) {
            change.taken(() -> change.patch(ApiServerChange.add("--no-such-flag=1")));
            change.awaitState("Failed");
            for (String node : NODES) {
                Await.until(
                        node + " does not try it",
                        () -> nodes.keeperState(node)
                                .at("/change/state")
                                .asText()
                                .equals("Failed"));
            }
            List<String> tried = new ArrayList<>();
            for (String node : NODES) {
                if (!nodes.keeperState(node).at("/change/failures").isEmpty()) {
                    tried.add(node);
                }
            }
            assertThat(tried).as("the nodes that tried it").hasSize(1);
            assertThat(servers()).isEqualTo(before);
            probe.requireNoFailedRequest();
        }
        ouro.kubectl("rollout", "undo", ApiServerChange.DAEMON_SET, ApiServerChange.SYSTEM);
        change.awaitState("Done");
    }

    /** Its API server and keeper stay, as pods of DaemonSets do; what leads goes to the others. */
    @Test
    @Order(3)
    void aControlPlaneNodeIsDrained() throws Exception {
        String node = nodes.nodesOf(ControlPlane.SCHEDULER).getFirst();
        try (NamespaceProbe probe = probeOn(NODES.getLast())) {
            ouro.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=120s");
            for (String leader : List.of(ControlPlane.CONTROLLER_MANAGER, ControlPlane.SCHEDULER)) {
                Await.until(
                        "two of " + leader + " are ready elsewhere",
                        () -> nodes.nodesOf(leader).size() == 2
                                && !nodes.nodesOf(leader).contains(node));
            }
            probe.requireNoFailedRequest();
        } finally {
            ouro.kubectl("uncordon", node);
        }
    }

    /** No server writes with the new key before each one reads it, and none that may write with the old one is left when that goes. */
    @Test
    @Order(4)
    void theEncryptionKeyIsExchangedOnThree() throws Exception {
        ouro.kubectl("create", "secret", "generic", "treasure", "--from-literal=what=gold");
        Set<String> before = servers();
        try (NamespaceProbe probe = probeOn(NODES.getLast())) {
            Result rotated = ouro.run(
                    List.of(
                            OuroProgram.CHECKOUT.resolve("ouro").toString(),
                            "change",
                            "rotate-encryption-key",
                            "--name",
                            NAME,
                            "-o",
                            "json"),
                    Duration.ofMinutes(50));
            assertThat(rotated.exitCode())
                    .as("%s%s", rotated.output(), rotated.error())
                    .isZero();
            assertThat(new ObjectMapper().readTree(rotated.output()).path("key").asText())
                    .isEqualTo("key2");
            probe.requireNoFailedRequest();
        }
        assertThat(servers()).hasSize(NODES.size()).doesNotContainAnyElementsOf(before);
        for (String node : NODES) {
            assertThat(nodes.kubectlOn(node, "get secret treasure -o jsonpath={.data.what}"))
                    .as("read by the server of " + node)
                    .isEqualTo("Z29sZA==");
        }
    }

    private NamespaceProbe probeOn(String node) throws Exception {
        return nodes.probeOn(node, PATIENCE, INTERVAL);
    }

    private Set<String> servers() throws Exception {
        return nodes.uidsOf("kube-apiserver");
    }
}
