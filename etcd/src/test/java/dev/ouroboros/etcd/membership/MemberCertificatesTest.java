package dev.ouroboros.etcd.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.EtcdTlsFiles;
import dev.ouroboros.etcd.membership.MemberCertificates.Renewed;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.LeafRenewal.Outlook;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On files; that a real etcd shows what is in them is StewardE2eTest's. */
final class MemberCertificatesTest {
    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");
    private static final Instant DUE = BEGIN.plus(Duration.ofDays(250));

    @TempDir
    private Path directory = Path.of("");

    private final SecureRandom random = new SecureRandom();
    private final Issuer issuer = new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(BEGIN), random);
    private final Credential authority = issuer.newAuthority("etcd-ca", "test");

    @BeforeEach
    void write() throws IOException {
        for (String name : List.of("server", "peer")) {
            KeyPair keys = issuer.newKeys();
            X509Certificate leaf = issuer.issue(
                    authority,
                    Profile.server(
                            "etcd-" + name,
                            List.of(new AlternativeName.Dns("localhost")),
                            Profile.Usage.SERVER,
                            Profile.Usage.CLIENT),
                    keys.getPublic());
            Files.writeString(directory.resolve(name + ".crt"), Pem.of(leaf));
            Files.writeString(directory.resolve(name + ".key"), Pem.of(keys.getPrivate()));
        }
    }

    private MemberCertificates at(Instant now, Optional<Credential> signer) {
        String text = EtcdStaticPod.of("node-1", "registry.example/etcd:3.4.23", "10.77.0.2")
                .yaml()
                .replace(EtcdStaticPod.DEFAULT_TLS_DIRECTORY, directory.toString());
        return new MemberCertificates(
                new LocalDisk(),
                EtcdTlsFiles.of("etcd.yaml", text),
                signer,
                RenewalPolicy.STANDARD,
                InstantSource.fixed(now),
                random);
    }

    private X509Certificate certificate(String file) throws IOException {
        return Pem.certificate(Files.readString(directory.resolve(file))).orElseThrow();
    }

    @Test
    void bothAreIssuedAgainWhenTheyAreDueAndTheirKeysStay() throws Exception {
        String key = Files.readString(directory.resolve("server.key"));
        assertThat(at(BEGIN, Optional.of(authority)).renew(false)).isEqualTo(Renewed.NOTHING);

        assertThat(at(DUE, Optional.of(authority)).renew(false).changed())
                .containsExactly(directory.resolve("server.crt"), directory.resolve("peer.crt"));

        for (String file : List.of("server.crt", "peer.crt")) {
            assertThat(certificate(file).getNotAfter().toInstant()).isEqualTo(DUE.plus(Duration.ofDays(365)));
        }
        assertThat(Files.readString(directory.resolve("server.key"))).isEqualTo(key);
        assertThat(new Credential(certificate("server.crt"), Pem.privateKey(key).orElseThrow()).fits())
                .isTrue();
        assertThat(at(DUE, Optional.of(authority)).renew(false)).isEqualTo(Renewed.NOTHING);
        assertThat(at(DUE, Optional.of(authority)).look())
                .allSatisfy(shown -> assertThat(shown.outlook()).isInstanceOf(Outlook.Renews.class));
    }

    @Test
    void withoutTheAuthorityNothingIsDoneAndItIsSaid() {
        assertThat(at(DUE, Optional.empty()).renew(true)).isEqualTo(Renewed.NOTHING);
        assertThat(at(DUE, Optional.empty()).look())
                .hasSize(2)
                .allSatisfy(shown -> assertThat(shown.outlook()).isInstanceOf(Outlook.NoAuthority.class));
    }

    /** The pair beside it is good, and due. */
    @Test
    void aKeyThatDoesNotBelongToItIsNotTouchedAndHoldsUpNoOther() throws Exception {
        Files.copy(
                directory.resolve("peer.key"),
                directory.resolve("server.key"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        String before = Files.readString(directory.resolve("server.crt"));
        Renewed renewed = at(DUE, Optional.of(authority)).renew(false);
        assertThat(renewed.changed()).containsExactly(directory.resolve("peer.crt"));
        assertThat(certificate("peer.crt").getNotAfter().toInstant()).isEqualTo(DUE.plus(Duration.ofDays(365)));
        Refusal.of(
                renewed::requireAll,
                ErrorCode.INVALID_KEY_MATERIAL,
                directory.resolve("server.key").toString(),
                "does not belong to",
                "issued anew by etcd's authority");
        assertThat(Files.readString(directory.resolve("server.crt"))).isEqualTo(before);
    }
}
