package dev.ouroboros.etcd.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.testing.FakeApiServer;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.etcd.NoContainers;
import dev.ouroboros.etcd.membership.decide.MemberJoin;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import dev.ouroboros.render.manifest.EtcdStaticPod;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node makes of the answer to its request. */
final class MemberJoinWorkTest {
    private static final Issuer ISSUER =
            new Issuer(KeyAlgorithm.ECDSA_P256, InstantSource.system(), new SecureRandom());
    private static final Credential AUTHORITY = ISSUER.newAuthority("etcd-ca", "test");
    private static final long PEBIBYTE = 1L << 50;

    @TempDir
    private Path directory = Path.of("");

    private final LocalDisk disk = new LocalDisk();
    private Path manifest = Path.of("");
    private String said = "";

    @SuppressWarnings("NullAway.Init") // made before each test
    private FakeApiServer api;

    @SuppressWarnings("NullAway.Init") // made before each test
    private ClusterClient client;

    @SuppressWarnings("NullAway.Init") // made before each test
    private MemberJoinJournal journal;

    @BeforeEach
    void begin() throws Exception {
        manifest = Files.createDirectory(directory.resolve("manifests")).resolve("etcd.yaml");
        api = new FakeApiServer(new TestAuthority());
        client = ClusterClient.connect(
                KubeconfigFile.read(api.writeKubeconfig(directory.resolve("kubeconfig")), Optional.empty()));
        journal = new MemberJoinJournal(disk, directory.resolve("journal"));
        journal.begin(ISSUER, "node-2");
    }

    @AfterEach
    void end() {
        client.close();
        api.close();
    }

    /** The request, signed and with a grant beside it. */
    private void grant(long databaseBytes) throws Exception {
        EtcdStaticPod pod = new EtcdStaticPod(
                "node-2",
                "registry.example/etcd:3.4.23",
                Cidr.address("10.77.0.3").orElseThrow(),
                new TreeMap<>(),
                directory.resolve("etcd").toString(),
                directory.resolve("tls").toString(),
                new TreeMap<>());
        String pem = journal.request().pem();
        String name = MemberRequests.nameOf(pem);
        String authority = Pem.of(AUTHORITY.certificate());
        MemberGrant grant = new MemberGrant(
                name,
                "8e9e05c52164694d",
                pod.yaml(),
                authority,
                authority,
                List.of("https://127.0.0.1:9"),
                databaseBytes);
        String certificate = Pem.of(ISSUER.issue(
                AUTHORITY, Profile.client("node-2"), journal.request().key()));
        Json.Fields request = FakeApiServer.object("certificates.k8s.io/v1", "CertificateSigningRequest", "", name);
        api.put(
                "/apis/certificates.k8s.io/v1/certificatesigningrequests/" + name,
                request.with(
                                "metadata",
                                ((Json.Fields) request.at("metadata"))
                                        .with("creationTimestamp", Json.text("2026-11-30T10:00:00Z"))
                                        .with(
                                                "annotations",
                                                Json.object()
                                                        .with(
                                                                MemberGrant.ANNOTATION,
                                                                Json.text(grant.signed(AUTHORITY.privateKey())))))
                        .with(
                                "spec",
                                JsonText.read(
                                        "{\"username\": \"system:node:node-2\", \"groups\": [\"system:nodes\"], \"request\": \"%s\"}"
                                                .formatted(base64(pem))))
                        .with("status", Json.object().with("certificate", Json.text(base64(certificate)))));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private MemberJoin.Phase next() {
        MemberJoinWork work =
                new MemberJoinWork(disk, new NoContainers(), new MemberRequests(client), journal, manifest, _ -> {});
        MemberJoin.State state = MemberJoin.State.initial();
        MemberJoin.Seen seen = work.look(state);
        assertThat(seen.request()
                        .is(request -> request.isPresent()
                                && request.get().isGranted()
                                && request.get().refused().isEmpty()))
                .isTrue();
        NextStep<MemberJoin.State, MemberJoin.Action> step = work.decide(seen, state, Instant.EPOCH);
        said = step.toString();
        return step.state().phase();
    }

    @Test
    void aNodeWithoutRoomForTheDatabaseStartsNoMember() throws Exception {
        grant(PEBIBYTE);
        assertThat(next()).isEqualTo(MemberJoin.Phase.ASKING);
        assertThat(said)
                .contains("room for etcd's data", directory.resolve("etcd").toString(), "MiB free");

        grant(1 << 20);
        assertThat(next()).isEqualTo(MemberJoin.Phase.INSTALLING);
    }
}
