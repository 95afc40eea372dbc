package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KeyRotationsTest {
    private final List<String> told = new ArrayList<>();

    @TempDir
    private Path assets = Path.of(".");

    private KeyedControlPlane plane;
    private FakeCluster cluster;

    @BeforeEach
    void fill() throws IOException {
        plane = KeyedControlPlane.encrypting(assets);
        cluster = plane.cluster;
    }

    private KeyRotations rotations() {
        ProcedureListener listener = new HeardListener(told);
        Patience patience = new Patience(listener, Duration.ofSeconds(5), InstantSource.system());
        return plane.rotations(listener, patience, patience);
    }

    private String file(String path) throws IOException {
        return Files.readString(assets.resolve(path));
    }

    /** It would get the key never, and the rotation would stop halfway. */
    @Test
    void doesNotBeginWhileAControlPlaneNodeIsOff() {
        node("one", "True");
        node("two", "Unknown");

        Refusal.of(
                rotations()::encryptionKey,
                ErrorCode.CHANGE_REFUSED,
                "Node two",
                "its API server would not get the key",
                "kubectl delete node two");
        assertThat(cluster.writes).isEmpty();

        node("two", "True");
        assertThat(rotations().encryptionKey().finished()).isTrue();
    }

    private void node(String name, String ready) {
        cluster.put(
                "/api/v1/nodes/" + name,
                json("{'metadata': {'name': '" + name + "'}, 'status': {'conditions': [{'type': 'Ready', 'status': '"
                        + ready + "'}]}}"));
    }

    @Test
    void exchangesTheEncryptionKeyInItsStepsAndKeepsTheCopyUpToDate() throws IOException {
        RotationOutcome outcome = rotations().encryptionKey();

        assertThat(told)
                .containsExactly(
                        "rotates to key key2; now secrets: key1",
                        "kube-apiserver also reads with key key2",
                        "kube-apiserver writes with key key2",
                        "3 objects of secrets are stored with key key2",
                        "kube-apiserver reads with no other key than key2");
        assertThat(outcome.finished()).isTrue();
        assertThat(outcome.keepOutside()).singleElement().satisfies(keep -> {
            Json secret = cluster.read("/api/v1/namespaces/" + keep.secret().replace("/", "/secrets/"));
            assertThat(secret.at("data", "encryption.yaml").text())
                    .contains(KeyedControlPlane.base64(file("tls/encryption-config.yaml")));
            assertThat(keep.written()).isTrue();
        });
        assertThat(file("tls/encryption-config.yaml")).contains("key2").doesNotContain("key1");
        assertThat(file("tls/encryption-config.before-key2.yaml")).contains("key1");
    }

    /** Abort wins: nobody takes a step again that somebody took back. Run again, it goes on from what the cluster shows. */
    @ParameterizedTest
    @CsvSource({"1, key1", "2, 'key1, key2'", "3, 'key2, key1'"})
    void aStepThatIsTakenBackMeanwhileEndsTheRun(int step, String keys) throws IOException {
        cluster.aborts = step;

        Refusal.of(() -> rotations().encryptionKey(), ErrorCode.CHANGE_REFUSED)
                .where("DaemonSet kube-system/kube-apiserver")
                .whatContains("'ouro change abort'", keys)
                .nextContains("the same command again goes on");
        assertThat(file("tls/encryption-config.yaml"))
                .as("the copy is what the cluster has")
                .isEqualTo(plane.mounted(FakeCluster.DAEMON_SET, "encryption.yaml"));

        assertThat(rotations().encryptionKey().finished()).isTrue();
        assertThat(file("tls/encryption-config.yaml")).contains("key2").doesNotContain("key1");
    }

    /** Killed while its step was carried out, and taken back while it was not there: what is run then begins from the cluster. */
    @Test
    void aStepThatIsTakenBackAfterTheRunWasKilledIsNoneOfTheNextRun() {
        Json before = cluster.read(FakeCluster.DAEMON_SET);
        cluster.aborts = 2;
        assertThatThrownBy(() -> rotations().encryptionKey()).isInstanceOf(ProblemException.class);
        cluster.put(FakeCluster.DAEMON_SET, before);

        assertThat(rotations().encryptionKey().finished()).isTrue();
    }

    @Test
    void asksForAnotherTryWithEachTemplate() {
        rotations().encryptionKey();

        assertThat(cluster.read(FakeCluster.DAEMON_SET)
                        .at("metadata", "annotations", "ouroboros.dev/change-retry")
                        .text())
                .isPresent();
    }

    @Test
    void leavesADirectoryOfAnotherClusterAlone() throws IOException {
        Files.writeString(assets.resolve("tls/ca.crt"), "another authority\n");

        assertThatThrownBy(() -> rotations().encryptionKey())
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("is of another cluster");
        assertThat(cluster.writes).isEmpty();
        assertThat(file("tls/encryption-config.yaml")).isEqualTo(KeyedControlPlane.ENCRYPTION);
    }

    @Test
    void saysWhyAChangeFailedAndWhatToDo() {
        Json.Fields set = (Json.Fields) cluster.read(FakeCluster.DAEMON_SET);
        Json.Fields metadata = ((Json.Fields) set.at("metadata"))
                .with(
                        "annotations",
                        json("{'ouroboros.dev/change-state': 'Refused', 'ouroboros.dev/change-message': 'two keys'}"));
        cluster.put(
                FakeCluster.DAEMON_SET,
                set.with("metadata", metadata)
                        .with("status", json("{'observedGeneration': 1, 'desiredNumberScheduled': 1}")));

        assertThatThrownBy(() -> rotations().encryptionKey())
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("Refused: two keys")
                .hasMessageContaining("ouro change abort");
    }

    @Test
    void saysWhatToDoOutsideWithoutADirectory() {
        RotationOutcome.KeepOutside keep =
                new RotationOutcome.KeepOutside("tls/service-account.key", "kube-system/s", "sa.key", false);

        assertThat(keep.command())
                .isEqualTo("kubectl -n kube-system get secret s -o jsonpath='{.data.sa\\.key}' | base64 -d");
    }
}
