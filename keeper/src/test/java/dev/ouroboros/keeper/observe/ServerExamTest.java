package dev.ouroboros.keeper.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.KubeconfigJson;
import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.api.testing.FakeApiServer.Fault;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.keeper.api.ChangeLease;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.json.Json;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerExamTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

    private FakeApiServer server;
    private final Set<String> named = new TreeSet<>();
    private ServerExam exam;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        server = new FakeApiServer(new TestAuthority());
        server.put(
                LEASES + "/" + ChangeLease.NAME,
                Json.object()
                        .with("apiVersion", Json.text("coordination.k8s.io/v1"))
                        .with("kind", Json.text("Lease"))
                        .with(
                                "metadata",
                                Json.object()
                                        .with("namespace", Json.text("kube-system"))
                                        .with("name", Json.text(ChangeLease.NAME))));
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        Endpoint endpoint = KubeconfigJson.read(kubeconfig, Files.readString(kubeconfig), Optional.empty());
        exam = new ServerExam(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()),
                () -> endpoint,
                new ServerExam.Expected(
                        Optional::empty,
                        new CertifiedAddresses(Set.of("127.0.0.1"), Set.of("192.0.2.7")),
                        named::addAll),
                InstantSource.fixed(BEGIN));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void aServerThatAnswersEverythingPassesSinceItsFirstAnswer() throws Exception {
        assertThat(exam.ask(Optional.empty()))
                .as("with a certificate that names the Service, and not the node")
                .isEqualTo(new Proof.Passed(BEGIN));
        assertThat(named).contains("127.0.0.1").doesNotContain("192.0.2.7");

        Proof before = new Proof.Passed(BEGIN.minusSeconds(9));
        assertThat(exam.ask(Optional.of(before))).isEqualTo(before);
    }

    /** On an emulated machine the first event of a watch came after more than three seconds. */
    @Test
    void aWatchMayTakeAsLongAsEveryOtherAnswer() throws Exception {
        exam.ask(Optional.empty());

        assertThat(server.requests())
                .filteredOn(request -> request.contains("watch=true"))
                .singleElement()
                .asString()
                .contains("timeoutSeconds=20");
    }

    @Test
    void theQuestionThatWasNotAnsweredWellIsNamed() throws Exception {
        server.fault("GET /api/v1/namespaces/kube-system/secrets", new Fault.Status(500, Map.of()));

        assertThat(exam.ask(Optional.empty()))
                .isInstanceOfSatisfying(
                        Proof.Failed.class,
                        failed -> assertThat(failed.question()).isEqualTo("list of Secrets"));
    }
}
