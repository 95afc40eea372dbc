package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When nobody gives an administrator's kubeconfig: what one could be made of, and what is said of each part that is not there. */
final class AdminAccessTest {
    private static final Optional<URI> SERVER = Optional.of(URI.create("https://192.0.2.7:6443"));

    private final Issuer issuer = new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.system(), new SecureRandom());
    private final Credential authority = issuer.newAuthority("cluster", "test");
    private final Credential other = issuer.newAuthority("other", "test");
    private final Remains remains = new Remains();

    @BeforeEach
    void controlPlane() {
        remains.controlPlane("kube-system");
    }

    private static RecoveryRequest request(Optional<String> kubeconfig, Optional<URI> server) {
        return new RecoveryRequest(kubeconfig, server, false, false, Map.of(), Map.of());
    }

    private void assertRefused(RecoveryRequest request, String where, String what) {
        Refusal.of(() -> recover(request), ErrorCode.INVALID_KEY_MATERIAL)
                .whereContains(where)
                .whatContains(what)
                .next("give an administrator's kubeconfig with --kubeconfig");
    }

    private RecoveredCluster recover(RecoveryRequest request) {
        return new Recovery(InstantSource.system(), new SecureRandom()).of(ClusterObjects.read(remains), request);
    }

    private void replace(String kind, String name, String program, List<String> flags, Map<String, String> files) {
        remains.forget(kind, name);
        remains.forget("Secret", name + "-keys");
        List<String> command = Stream.concat(Stream.of(program), flags.stream()).toList();
        remains.add(Remains.workload(kind, "kube-system", name, command));
        Json.Fields data = Json.object();
        for (Map.Entry<String, String> file : files.entrySet()) {
            data = data.with(file.getKey(), Json.text(Remains.base64(file.getValue())));
        }
        remains.add(Remains.read("""
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s-keys", "namespace": "kube-system"}}
                """.formatted(name)).with("data", data));
    }

    private void manager(Credential signer, String key) {
        replace(
                "Deployment",
                "manager",
                "kube-controller-manager",
                List.of(
                        "--root-ca-file=/keys/ca.crt",
                        "--cluster-signing-cert-file=/keys/ca.crt",
                        "--cluster-signing-key-file=/keys/ca.key"),
                Map.of("ca.crt", Pem.of(signer.certificate()), "ca.key", key));
    }

    private void server(Credential trusted) {
        replace(
                "DaemonSet",
                "server",
                "kube-apiserver",
                List.of("--client-ca-file=/keys/ca.crt"),
                Map.of("ca.crt", Pem.of(trusted.certificate())));
    }

    @Test
    void isMadeWithTheAuthorityThatTheControllerManagerSignsWith() {
        server(authority);
        manager(authority, Pem.of(authority.privateKey()));
        assertThat(recover(request(Optional.empty(), SERVER)).server()).isEqualTo(SERVER.orElseThrow());
    }

    /** A rehearsal a year ago, and now the loss. */
    @Test
    void isMadeAnewWhenTheOneOfAnEarlierRecoveryHasEnded() {
        server(authority);
        manager(authority, Pem.of(authority.privateKey()));
        RecoveryRequest request = request(Optional.empty(), SERVER);
        String first = kubeconfig(recover(request));
        RecoveryRequest again = request.keeping(Map.of(
                AssetLayout.ADMIN_KUBECONFIG, first, AssetLayout.CA_CERTIFICATE, Pem.of(authority.certificate())));
        assertThat(kubeconfig(recover(again))).isEqualTo(first);

        InstantSource later = () -> InstantSource.system().instant().plus(Duration.ofDays(400));
        String second = kubeconfig(new Recovery(later, new SecureRandom()).of(ClusterObjects.read(remains), again));
        assertThat(Kubeconfig.parse(second)
                        .flatMap(Kubeconfig::clientCertificate)
                        .flatMap(Pem::certificate)
                        .orElseThrow()
                        .getNotAfter()
                        .toInstant())
                .isAfter(later.instant());
    }

    private static String kubeconfig(RecoveredCluster cluster) {
        return cluster.files().stream()
                .filter(file -> file.path().equals(AssetLayout.ADMIN_KUBECONFIG))
                .map(file -> new String(file.content().bytes(), StandardCharsets.UTF_8))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void needsToKnowWhereTheApiIs() {
        assertRefused(
                request(Optional.of("kind: Config\n"), Optional.empty()),
                "API endpoint",
                "the kubeconfig that was given names no server");
        assertRefused(request(Optional.empty(), Optional.empty()), "API endpoint", "--server can");
    }

    @Test
    void needsTheAuthorityOfTheCluster() {
        assertRefused(request(Optional.empty(), SERVER), "tls/ca.crt", "neither --root-ca-file nor a kubeconfig");
    }

    @Test
    void needsAnAuthorityThatCanSign() {
        replace(
                "Deployment",
                "manager",
                "kube-controller-manager",
                List.of("--root-ca-file=/keys/ca.crt"),
                Map.of("ca.crt", Pem.of(authority.certificate())));
        assertRefused(
                request(Optional.empty(), SERVER), "Deployment kube-system/manager", "--cluster-signing-cert-file");
        manager(authority, Pem.of(other.privateKey()));
        assertRefused(request(Optional.empty(), SERVER), "Deployment kube-system/manager", "are no pair");
    }

    @Test
    void needsAnApiServerThatTrustsIt() {
        server(other);
        manager(authority, Pem.of(authority.privateKey()));
        assertRefused(
                request(Optional.empty(), SERVER),
                "kube-apiserver --client-ca-file",
                "does not hold the authority that the controller manager signs with");
    }
}
