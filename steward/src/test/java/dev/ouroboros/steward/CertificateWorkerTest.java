package dev.ouroboros.steward;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.steward.decide.CertificateReport.Standing;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A scheduler that shows a certificate of an authority whose key is beside it. */
final class CertificateWorkerTest {
    /** At noon. */
    private static final Instant BEGIN = Instant.parse("2026-11-29T12:00:00Z");

    private static final Instant DUE = BEGIN.plus(Duration.ofDays(250));
    private static final String SECRET = "/api/v1/namespaces/kube-system/secrets/kube-scheduler-0123456789";
    private static final String AT_NIGHT = "'certificates': {'window': {'from': '02:00', 'to': '05:00'}}";

    private final FakeApiServer server;
    private final Credential authority = issuer(BEGIN).newAuthority("kubernetes-ca", "test");
    private final StewardMetrics metrics = new StewardMetrics();
    private final List<String> said = new CopyOnWriteArrayList<>();

    CertificateWorkerTest() throws Exception {
        server = new FakeApiServer(new TestAuthority());
        server.put(
                "/apis/apps/v1/namespaces/kube-system/deployments/kube-scheduler",
                FakeApiServer.object("apps/v1", "Deployment", "kube-system", "kube-scheduler")
                        .with("spec", json("""
                                {'template': {'spec': {'containers': [{'name': 'kube-scheduler'}],
                                    'volumes': [{'name': 's', 'secret': {'secretName': 'kube-scheduler-0123456789'}}]}}}"""))
                        .with(
                                "status",
                                json(
                                        "{'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1, 'readyReplicas': 1}")));
        issue(BEGIN);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Issuer issuer(Instant moment) {
        return new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(moment), new SecureRandom());
    }

    private static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    private void issue(Instant moment) {
        KeyPair keys = issuer(moment).newKeys();
        Json.Fields data = Json.object();
        for (Map.Entry<String, String> file : List.of(
                Map.entry("ca.crt", Pem.of(authority.certificate())),
                Map.entry("ca.key", Pem.of(authority.privateKey())),
                Map.entry(
                        "client.crt",
                        Pem.of(issuer(moment).issue(authority, Profile.client("scheduler"), keys.getPublic()))),
                Map.entry("client.key", Pem.of(keys.getPrivate())))) {
            String base64 = Base64.getEncoder().encodeToString(file.getValue().getBytes(StandardCharsets.UTF_8));
            data = data.with(file.getKey(), Json.text(base64));
        }
        server.put(
                SECRET,
                FakeApiServer.object("v1", "Secret", "kube-system", "kube-scheduler-0123456789")
                        .with("data", data));
    }

    private ClusterClient client() {
        return ClusterClient.connect(Endpoint.of(
                server.uri(), List.of(server.authority().certificate()), Optional.empty(), Optional.empty()));
    }

    /** What is known when a look at the object, at a moment, has come to its end, which is an Event. */
    private Standing looked(Instant now, String spec, String status) throws InterruptedException {
        CertificateWorker worker = new CertificateWorker(
                this::client,
                () -> true,
                new LocalDisk(),
                (_, reason, message) -> said.add(reason + " " + message),
                metrics,
                () -> now,
                () -> now);
        worker.turn(new ControlPlaneObject(json("{'metadata': {'generation': 1}, 'spec': {" + spec
                + "}, 'status': {'certificates': {'workloads': {" + status + "}}}}")));
        eventually("something is said", () -> !said.isEmpty());
        return worker.standing().orElseThrow();
    }

    private void requireNothingWritten() {
        assertThat(server.requests()).noneMatch(request -> request.startsWith("PUT") || request.startsWith("POST"));
    }

    @Test
    void whatSomebodyElseHasEndedIsSaidToBeDone() throws Exception {
        Standing standing = looked(BEGIN, AT_NIGHT, "'renewing': true");

        assertThat(said).singleElement().asString().startsWith("CertificatesRenewed");
        assertThat(standing.isRenewing()).isFalse();
        assertThat(standing.renewed()).contains(BEGIN);
    }

    /** It ended between two workloads, and the hours are over. */
    @Test
    void whatIsHalfDoneIsNotSaidToBeDone() throws Exception {
        Standing standing = looked(DUE, AT_NIGHT, "'renewing': true");

        assertThat(said).singleElement().asString().startsWith("RenewalLeft").endsWith(": kube-scheduler client.crt");
        assertThat(standing.isRenewing()).isFalse();
        assertThat(standing.renewed()).isEmpty();
        requireNothingWritten();
    }

    @Test
    void anAuthorityThatEndsIsSaidInTime() throws Exception {
        Instant end = authority.certificate().getNotAfter().toInstant();
        issue(end.minus(Duration.ofDays(300)));

        Standing standing = looked(end.minus(Duration.ofDays(100)), "", "");

        assertThat(standing.failure()).contains("kubernetes-ca", "ends on " + end, "CN=scheduler");
        assertThat(said).singleElement().asString().startsWith("RenewalFailed authority ");
        assertThat(metrics.text()).contains("ouroboros_steward_certificate_renewal_failures_total 1\n");
        requireNothingWritten();
    }

    @Test
    void aSecretThatIsGoneIsSaidAlthoughNothingIsDue() throws Exception {
        server.delete(SECRET);

        Standing standing = looked(BEGIN, "", "");

        assertThat(standing.failure()).startsWith("Secret kube-system/kube-scheduler-0123456789: is gone");
        assertThat(said).singleElement().asString().startsWith("RenewalFailed");
        requireNothingWritten();
    }
}
