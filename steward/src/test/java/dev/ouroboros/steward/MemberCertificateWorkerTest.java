package dev.ouroboros.steward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ServiceAccountSource;
import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.runtime.cri.CriRuntime;
import dev.ouroboros.steward.decide.CertificateReport.Standing;
import dev.ouroboros.steward.decide.ControlPlaneObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On files; that a real etcd shows what is in them is StewardE2eTest's. */
final class MemberCertificateWorkerTest {
    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");
    private static final Instant DUE = BEGIN.plus(Duration.ofDays(250));
    private static final Instant END = BEGIN.plus(Duration.ofDays(365));
    private static final Instant NEXT_END = DUE.plus(Duration.ofDays(365));
    private static final ControlPlaneObject OBJECT = new ControlPlaneObject(Json.object());

    @TempDir
    private Path directory = Path.of("");

    private final Issuer issuer = issuer(BEGIN);
    private final Credential authority = issuer.newAuthority("etcd-ca", "test");
    private final StewardMetrics metrics = new StewardMetrics();
    private final List<String> said = new ArrayList<>();
    private Instant now = DUE;
    private String manifest = "";

    private static Issuer issuer(Instant moment) {
        return new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.fixed(moment), new SecureRandom());
    }

    @BeforeEach
    void write() throws IOException {
        write("ca", authority);
        for (String name : List.of("server", "peer")) {
            KeyPair keys = issuer.newKeys();
            write(
                    name,
                    new Credential(
                            issuer.issue(authority, Profile.client("etcd-" + name), keys.getPublic()),
                            keys.getPrivate()));
        }
        manifest = EtcdStaticPod.of("a", "registry.example/etcd:3.4.23", "10.77.0.2")
                .yaml()
                .replace(EtcdStaticPod.DEFAULT_TLS_DIRECTORY, directory.toString());
    }

    private void write(String name, Credential credential) throws IOException {
        Files.writeString(directory.resolve(name + ".crt"), Pem.of(credential.certificate()));
        Files.writeString(directory.resolve(name + ".key"), Pem.of(credential.privateKey()));
    }

    private Instant endOf(String name) throws IOException {
        return Pem.certificate(Files.readString(directory.resolve(name + ".crt")))
                .orElseThrow()
                .getNotAfter()
                .toInstant();
    }

    /** @param hasKey whether the steward has that of etcd's authority */
    private Standing turned(boolean hasKey) throws IOException {
        EtcdWork work = new EtcdWork(
                new EtcdWork.Places(
                        Files.writeString(directory.resolve("etcd.yaml"), manifest),
                        directory.resolve("state"),
                        directory.resolve("kubelet"),
                        hasKey ? Optional.of(directory.resolve("ca.key")) : Optional.empty()),
                new ServiceAccountSource(new LocalDisk(), directory, URI.create("https://127.0.0.1:9")),
                new ClientFiles(Optional.of(directory.resolve("ca.crt")), Optional.empty(), Optional.empty()),
                () -> {
                    throw new AssertionError("etcd is not asked");
                },
                new LocalDisk(),
                new CriRuntime(directory.resolve("none.sock"), Duration.ofSeconds(1)),
                () -> now,
                () -> now);
        MemberCertificateWorker worker = new MemberCertificateWorker(
                "a",
                work::hasMember,
                work::quietFiles,
                work::certificates,
                (_, reason, message) -> said.add(reason + " " + message),
                metrics,
                () -> now);
        worker.turn(OBJECT);
        return worker.standing(OBJECT).getOrDefault("a", Standing.unknown());
    }

    private void requireMetrics(int failures, Instant end) {
        assertThat(metrics.text())
                .contains(
                        "ouroboros_steward_certificate_renewal_failures_total " + failures + "\n",
                        "ouroboros_steward_member_certificate_expiration_timestamp_seconds " + end.getEpochSecond()
                                + "\n");
    }

    /** Somebody set a flag with which it could have no temporary member. */
    @Test
    void aMemberThatCannotBeChangedGetsItsCertificates() throws Exception {
        manifest = manifest.replace("--client-cert-auth=true", "--wal-dir=/var/lib/etcd/wal");

        assertThat(turned(true).failure()).isEmpty();

        assertThat(endOf("server")).isEqualTo(NEXT_END);
        assertThat(endOf("peer")).isEqualTo(NEXT_END);
        assertThat(said).singleElement().asString().startsWith("MemberCertificatesRenewed");
        requireMetrics(0, NEXT_END);
    }

    @Test
    void aManifestThatHidesItsFilesIsAFailure() throws Exception {
        manifest = manifest.replace("--client-cert-auth=true", "--config-file=/etc/etcd.yaml");

        assertThat(turned(true).failure()).contains("etcd.yaml: --config-file", "its flags cannot be seen");

        assertThat(said).singleElement().asString().startsWith("RenewalFailed a: ");
        assertThat(metrics.text()).contains("ouroboros_steward_certificate_renewal_failures_total 1\n");
    }

    /** Both files are told, and until when they are good. */
    @Test
    void whatCannotBeIssuedIsToldWithItsEnd() throws Exception {
        Standing standing = turned(false);

        assertThat(standing.failure())
                .contains("server.crt: ends on " + END, "peer.crt: ends on " + END, "the key of its authority");
        assertThat(standing.expires()).contains(END);
        requireMetrics(1, END);
    }

    @Test
    void oneThatIsIssuedAgainIsToldBesideOneThatIsNot() throws Exception {
        Files.writeString(directory.resolve("server.key"), "none");

        Standing standing = turned(true);

        assertThat(standing.failure()).contains("server.key: has no private key");
        assertThat(standing.renewed()).contains(DUE);
        assertThat(standing.expires()).contains(END);
        assertThat(endOf("peer")).isEqualTo(NEXT_END);
        assertThat(said)
                .hasSize(2)
                .first()
                .asString()
                .startsWith("MemberCertificatesRenewed")
                .contains("peer.crt");
        requireMetrics(1, END);
    }

    @Test
    void thoseThatEndWithTheirAuthorityAreSaidInTime() throws Exception {
        Instant end = authority.certificate().getNotAfter().toInstant();
        now = end.minus(Duration.ofDays(300));
        assertThat(turned(true).failure()).isEmpty();
        assertThat(endOf("server")).isEqualTo(end);
        assertThat(turned(true).failure()).as("good for long").isEmpty();
        now = end.minus(Duration.ofDays(100));

        assertThat(turned(true).failure())
                .contains("server.crt: ends with its authority, ", "CN=etcd-ca", ", on " + end, "peer.crt");

        assertThat(said).hasSize(2).last().asString().startsWith("RenewalFailed a: ");
    }
}
