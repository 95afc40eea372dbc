package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that had three control-plane nodes, each with a member of etcd, is lost and comes back on one, which others join again. */
@Tag("e2e")
@Tag("alone")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class NodesRecoveryE2eTest {
    private static final String NAME = "e2e-nodesrec";
    private static final String SECOND = NAME + "-2";

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final SandboxNodes nodes = new SandboxNodes(ouro);

    @BeforeAll
    void up() {
        ouro.up("--control-planes", "3");
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    void comesBackOnOneNodeAndIsJoinedByAnother(@TempDir Path kept) throws Exception {
        ouro.kubectl("create", "configmap", "keep", "--from-literal=a=b");
        ouro.kubectl("create", "secret", "generic", "keep", "--from-literal=c=d");
        Path snapshot = kept.resolve("saved.db");
        Path key = kept.resolve("key.yaml");
        Files.writeString(key, ouro.inNode("cat", OuroProgram.ASSETS + "/tls/encryption-config.yaml"));
        nodes.off(SECOND);
        Result saved = ouro.run("snapshot", "save", snapshot.toString());
        assertThat(saved.exitCode())
                .as("two of three are a majority: %s", saved.error())
                .isZero();
        nodes.off(NAME + "-3");
        Result refused = ouro.run("snapshot", "save", kept.resolve("no.db").toString());
        assertThat(refused.exitCode()).as("one of three is none").isNotZero();
        assertThat(refused.error()).contains("majority");
        assertThat(kept.resolve("no.db")).doesNotExist();
        ouro.down();

        ouro.up("--snapshot", snapshot.toString(), "--encryption-config", key.toString());

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
