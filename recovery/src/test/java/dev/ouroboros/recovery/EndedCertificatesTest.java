package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a node that was off for 400 days. With a real cluster it is EndedCertificatesE2eTest's. */
final class EndedCertificatesTest {
    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");
    private static final Instant NOW = BEGIN.plus(Duration.ofDays(400));

    @TempDir
    private Path directory = Path.of("");

    private final SecureRandom random = new SecureRandom();
    private final Issuer issuer = new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(BEGIN), random);
    private final Credential authority = issuer.newAuthority("kubernetes-ca", "test");
    private final Credential etcd = issuer.newAuthority("etcd-ca", "test");
    private Path assets = Path.of("");
    private Path manifest = Path.of("");
    private Path kubelet = Path.of("");

    private Credential leaf(Credential signer, Profile profile) {
        KeyPair keys = issuer.newKeys();
        return new Credential(issuer.issue(signer, profile, keys.getPublic()), keys.getPrivate());
    }

    private static void write(Path base, Credential credential) throws IOException {
        Files.createDirectories(base.resolveSibling(""));
        Files.writeString(Path.of(base + ".crt"), Pem.of(credential.certificate()));
        Files.writeString(Path.of(base + ".key"), Pem.of(credential.privateKey()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @BeforeEach
    void aNode() throws IOException {
        assets = directory.resolve("assets");
        write(assets.resolve("tls/ca"), authority);
        write(assets.resolve("tls/etcd-client-ca"), etcd);
        write(assets.resolve("tls/apiserver"), leaf(authority, Profile.client("kube-apiserver")));
        Credential admin = leaf(authority, Profile.client("admin", "system:masters"));
        Files.createDirectories(assets.resolve("auth"));
        Files.writeString(
                assets.resolve("auth/kubeconfig"),
                "user:\n  client-certificate-data: " + base64(Pem.of(admin.certificate())) + "\n  client-key-data: "
                        + base64(Pem.of(admin.privateKey())) + "\n");
        Path tls = directory.resolve("etcd");
        write(tls.resolve("server"), leaf(etcd, Profile.client("etcd-server")));
        write(tls.resolve("peer"), leaf(etcd, Profile.client("etcd-peer")));
        manifest = Files.writeString(
                directory.resolve("etcd.yaml"),
                EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
                        .yaml()
                        .replace(EtcdStaticPod.DEFAULT_TLS_DIRECTORY, tls.toString()));
        kubelet = Files.createDirectory(directory.resolve("pki"));
        Credential client = leaf(authority, Profile.client("system:node:node-1", "system:nodes"));
        Path newest = Files.writeString(
                kubelet.resolve("kubelet-client-2026-11-29-10-00-00.pem"),
                Pem.of(client.certificate()) + Pem.of(client.privateKey()));
        Files.writeString(kubelet.resolve("kubelet-client-2026-01-01-10-00-00.pem"), "an older one");
        Files.createSymbolicLink(kubelet.resolve("kubelet-client-current.pem"), newest);
    }

    private EndedCertificates at(Instant now) {
        return new EndedCertificates(new LocalDisk(), assets, RenewalPolicy.STANDARD, InstantSource.fixed(now));
    }

    private static X509Certificate in(Path file) throws IOException {
        return Pem.certificate(Files.readString(file)).orElseThrow();
    }

    @Test
    void whatStartsTheNodeIsIssuedAgainInItsPlace() throws Exception {
        assertThat(at(NOW).renewHere(manifest, kubelet))
                .extracting(file -> directory.relativize(Path.of(file)).toString())
                .containsExactly(
                        "assets/auth/kubeconfig",
                        "assets/tls/apiserver.crt",
                        "etcd/server.crt",
                        "etcd/peer.crt",
                        "pki/kubelet-client-2026-11-29-10-00-00.pem");

        for (String file : new String[] {
            "assets/tls/apiserver.crt", "etcd/server.crt", "etcd/peer.crt", "pki/kubelet-client-current.pem"
        }) {
            assertThat(in(directory.resolve(file)).getNotAfter().toInstant())
                    .as(file)
                    .isEqualTo(NOW.plus(Duration.ofDays(365)));
        }
        String client = Files.readString(kubelet.resolve("kubelet-client-current.pem"));
        assertThat(new Credential(
                                Pem.certificate(client).orElseThrow(),
                                Pem.privateKey(client).orElseThrow())
                        .fits())
                .isTrue();
        assertThat(Files.isSymbolicLink(kubelet.resolve("kubelet-client-current.pem")))
                .isTrue();
        assertThat(Files.readString(kubelet.resolve("kubelet-client-2026-01-01-10-00-00.pem")))
                .isEqualTo("an older one");
        assertThat(at(NOW).renewHere(manifest, kubelet)).isEmpty();
    }

    @Test
    void whatIsGoodForLongIsLeftAlone() {
        assertThat(at(BEGIN.plus(Duration.ofDays(100))).renewHere(manifest, kubelet))
                .isEmpty();
    }

    @Test
    void aNodeWithoutAMemberOfEtcdHasTheOthers() {
        assertThat(at(NOW).renewHere(directory.resolve("none.yaml"), kubelet)).hasSize(3);
    }

    @Test
    void withoutTheAuthoritysKeyNothingIsWritten() throws Exception {
        Files.delete(assets.resolve("tls/ca.key"));
        String before = Files.readString(directory.resolve("etcd/server.crt"));
        Refusal.of(
                () -> at(NOW).renewHere(manifest, kubelet),
                ErrorCode.NOT_FOUND,
                assets.resolve("tls/ca.key").toString(),
                "is not there",
                "as they were when the cluster was started from it");
        assertThat(Files.readString(directory.resolve("etcd/server.crt"))).isEqualTo(before);
    }
}
