package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that had three control-plane nodes, each with a member of etcd, loses two for good, and then all; each time it comes back on one, which others join again. */
@Tag("e2e")
@Tag("alone")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class NodesRecoveryE2eTest {
    private static final String NAME = "e2e-nodesrec";
    private static final String SECOND = NAME + "-2";
    private static final String THIRD = NAME + "-3";
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private Path kept = Path.of("");

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);

    @BeforeAll
    void up(@TempDir Path allTests) {
        kept = allTests;
        ouro.up("--control-planes", "3");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void aSnapshotIsOfAMajority() throws Exception {
        ouro.kubectl("create", "configmap", "keep", "--from-literal=a=b");
        ouro.kubectl("create", "secret", "generic", "keep", "--from-literal=c=d");
        Files.writeString(key(), ouro.inNode("cat", OuroProgram.ASSETS + "/tls/encryption-config.yaml"));
        nodes.off(SECOND);
        Result saved = ouro.runPlain("snapshot", "save", snapshot().toString(), "--name", NAME);
        assertThat(saved.exitCode())
                .as("two of three are a majority: %s", saved.error())
                .isZero();
        ouro.kubectl("create", "configmap", "last", "--from-literal=written=by-two");
        nodes.off(THIRD);
        Result refused = ouro.runPlain("snapshot", "save", kept.resolve("no.db").toString(), "--name", NAME);
        assertThat(refused.exitCode()).as("one of three is none").isNotZero();
        assertThat(refused.error()).contains("majority");
        assertThat(kept.resolve("no.db")).doesNotExist();
    }

    private Path snapshot() {
        return kept.resolve("saved.db");
    }

    private Path key() {
        return kept.resolve("key.yaml");
    }

    @Test
    @Order(2)
    void theLastMemberOfEtcdGoesOnWhenTheOthersAreLostForGood() throws Exception {
        // As its kubelet does sooner or later with one that has no leader: it answers no client any more.
        ouro.inNode("sh", "-c", "kill $(pidof etcd)");
        Result recovered = ouro.runPlain("exec", NAME, "--", "ouro", "etcd", "recover", "--yes");
        assertThat(recovered.exitCode()).as(recovered.error()).isZero();

        Await.sparingly(
                "the API to answer",
                LIMIT,
                () -> ouro.runIn(NAME, "kubectl", "get", "configmap", "last", "keep")
                                .exitCode()
                        == 0);
        assertThat(ouro.runIn(NAME, "etcdctl", "member", "list")
                        .output()
                        .strip()
                        .lines())
                .hasSize(1);
        for (String lost : List.of(SECOND, THIRD)) {
            Result removed = ouro.runPlain("node", "remove", lost, "--name", NAME);
            assertThat(removed.exitCode()).as(removed.error()).isZero();
        }
        Result told = ouro.runPlain("change", "etcd-servers", "--name", NAME);
        assertThat(told.exitCode()).as(told.error()).isZero();
        ouro.awaitConvergence();
        assertThat(nodes.servers()).isEqualTo(nodes.addresses(NAME));
        Result again = ouro.runPlain("exec", NAME, "--", "ouro", "etcd", "recover", "--yes");
        assertThat(again.exitCode()).isEqualTo(2);
        assertThat(again.error()).contains("has one member that votes");

        ouro.jsonPlain("node", "add", SECOND, "--control-plane", "--name", NAME, "-o", "json");
        assertThat(nodes.servers()).isEqualTo(nodes.addresses(NAME, SECOND));
    }

    @Test
    @Order(3)
    void comesBackOnOneNodeAndIsJoinedByAnother() throws Exception {
        ouro.down();

        ouro.up("--snapshot", snapshot().toString(), "--encryption-config", key().toString());

        assertThat(ouro.kubectl("get", "configmap,secret", "keep", "-o", "jsonpath={.items[*].data}"))
                .contains("\"a\":\"b\"")
                .contains("\"c\":\"ZA==\"");
        assertThat(ouro.kubectl("get", "nodes", "-o", "name").lines())
                .as("the others' machines are gone with their etcd")
                .containsExactly("node/" + NAME);
        assertThat(nodes.servers()).isEqualTo(nodes.addresses(NAME));
        ouro.awaitConvergence();

        ouro.jsonPlain("node", "add", SECOND, "--control-plane", "--name", NAME, "-o", "json");

        assertThat(nodes.isReady(SECOND)).isTrue();
        assertThat(nodes.servers()).isEqualTo(nodes.addresses(NAME, SECOND));
        ouro.awaitConvergence();
    }
}
