package dev.ouroboros.change;

import static dev.ouroboros.change.FakeCluster.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.InterruptedDriver;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotations whose process ends before or behind any of their actions, and is started again. */
final class KilledRotationsTest {
    private static final String SECRETS = "/api/v1/namespaces/kube-system/secrets/";
    /** Before and behind each of four actions: who is killed behind the last one has exchanged the key, and the next run begins another exchange. */
    private static final int BEHIND_THE_LAST = 7;

    private static final String SETTLED =
            "{'observedGeneration': 1, 'desiredNumberScheduled': 1, 'updatedNumberScheduled': 1, 'numberReady': 1,"
                    + " 'replicas': 1, 'updatedReplicas': 1, 'availableReplicas': 1}";

    @TempDir
    private Path directory = Path.of(".");

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der) + "\n-----END "
                + kind + "-----\n";
    }

    /** A control plane whose keys lie in two Secrets, and the directory that has a copy. */
    private abstract static class World implements KilledAnywhere.World {
        final FakeCluster cluster = new FakeCluster();
        final Path assets;

        World(Path parent) throws IOException {
            assets = Files.createTempDirectory(parent, "assets");
            Files.createDirectories(assets.resolve("tls"));
            Files.writeString(assets.resolve("tls/ca.crt"), "our authority\n");
        }

        void secret(String name, String data) {
            cluster.put(
                    SECRETS + name,
                    json("{'metadata': {'namespace': 'kube-system', 'name': '" + name + "'}, 'data': {'ca.crt': '"
                            + base64("our authority\n") + "', " + data + "}}"));
        }

        void workload(String path, String kind, String name, String flags) {
            cluster.put(
                    path,
                    json("{'kind': '" + kind + "', 'metadata': {'namespace': 'kube-system', 'name': '" + name
                            + "', 'generation': 1}, 'spec': {'template': {'spec': {'containers': [{'name': '" + name
                            + "', 'command': ['" + name + "', " + flags
                            + "], 'volumeMounts': [{'name': 's', 'mountPath': '/etc/k'}]}],"
                            + " 'volumes': [{'name': 's', 'secret': {'secretName': '" + name
                            + "-0123456789'}}]}}}, 'status': " + SETTLED + "}"));
        }

        /** What the pods of a workload's template mount. */
        String mounted(String workload, String key) {
            String name = cluster.read(workload)
                    .at("spec", "template", "spec", "volumes")
                    .items()
                    .getFirst()
                    .at("secret", "secretName")
                    .text()
                    .orElseThrow();
            String text = cluster.read(SECRETS + name).at("data", key).text().orElseThrow();
            return new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8);
        }

        String outside(String file) throws IOException {
            return Files.readString(assets.resolve("tls").resolve(file));
        }

        KeyRotations rotations(KilledAnywhere.Place place) {
            ProcedureListener silence = new ProcedureListener() {
                @Override
                public void did(String what) {}

                @Override
                public void waits(String why, Duration since) {}
            };
            Patience patience = new Patience(silence, Duration.ofSeconds(5), Duration.ZERO, InstantSource.system());
            return new KeyRotations(
                    cluster,
                    Optional.of(new AssetCopy(new LocalDisk(), assets)),
                    silence,
                    new SecureRandom(),
                    patience,
                    new InterruptedDriver(patience, place),
                    InstantSource.system());
        }
    }

    private static final class EncryptionWorld extends World {
        private static final String BEFORE = """
                resources:
                - resources:
                  - secrets
                  providers:
                  - aescbc:
                      keys:
                      - name: key1
                        secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=
                  - identity: {}
                """;

        EncryptionWorld(Path parent) throws IOException {
            super(parent);
            cluster.lists.put(
                    "/api/v1",
                    json(
                            "{'resources': [{'name': 'secrets', 'namespaced': true, 'verbs': ['get', 'list', 'update']}]}"));
            secret("kube-apiserver-0123456789", "'encryption.yaml': '" + base64(BEFORE) + "'");
            workload(
                    FakeCluster.DAEMON_SET,
                    "DaemonSet",
                    "kube-apiserver",
                    "'--encryption-provider-config=/etc/k/encryption.yaml'");
            Files.writeString(assets.resolve("tls/encryption-config.yaml"), BEFORE);
        }

        @Override
        public void run(KilledAnywhere.Place place) {
            rotations(place).encryptionKey();
        }

        @Override
        public void judge(int killed) throws IOException {
            String now = mounted(FakeCluster.DAEMON_SET, "encryption.yaml");
            assertThat(now).as("killed at " + killed).doesNotContain("key1").containsOnlyOnce("name: key");
            if (killed < BEHIND_THE_LAST) {
                assertThat(now)
                        .as("killed at " + killed + " it goes on with its key")
                        .contains("name: key2");
            }
            assertThat(outside("encryption-config.yaml"))
                    .as("killed at " + killed)
                    .isEqualTo(now);
        }
    }

    @Test
    void anEncryptionKeyIsExchangedWhereverTheCommandIsKilled() throws Exception {
        // Four actions: reads, writes, everything written anew, reads nothing else.
        assertThat(KilledAnywhere.check(() -> new EncryptionWorld(directory))).isGreaterThanOrEqualTo(8);
    }

    private static final class SigningWorld extends World {
        private static final String DEPLOYMENT =
                "/apis/apps/v1/namespaces/kube-system/deployments/kube-controller-manager";

        private final String former;

        SigningWorld(Path parent) throws IOException, GeneralSecurityException {
            super(parent);
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            String key = pem("PRIVATE KEY", pair.getPrivate().getEncoded());
            former = pem("PUBLIC KEY", pair.getPublic().getEncoded());
            secret("kube-apiserver-0123456789", "'sa.key': '" + base64(key) + "', 'sa.pub': '" + base64(former) + "'");
            secret("kube-controller-manager-0123456789", "'sa.key': '" + base64(key) + "'");
            workload(
                    FakeCluster.DAEMON_SET,
                    "DaemonSet",
                    "kube-apiserver",
                    "'--service-account-signing-key-file=/etc/k/sa.key', '--service-account-key-file=/etc/k/sa.pub'");
            workload(
                    DEPLOYMENT,
                    "Deployment",
                    "kube-controller-manager",
                    "'--service-account-private-key-file=/etc/k/sa.key'");
            Files.writeString(assets.resolve("tls/service-account.key"), key);
            Files.writeString(assets.resolve("tls/service-account.pub"), former);
        }

        @Override
        public void run(KilledAnywhere.Place place) {
            rotations(place).serviceAccountKey(true);
        }

        @Override
        public void judge(int killed) throws IOException {
            String accepted = mounted(FakeCluster.DAEMON_SET, "sa.pub");
            String signing = mounted(FakeCluster.DAEMON_SET, "sa.key");
            assertThat(accepted)
                    .as("killed at " + killed)
                    .doesNotContain(former.lines().skip(1).findFirst().orElseThrow())
                    .containsOnlyOnce("BEGIN PUBLIC KEY");
            if (killed < BEHIND_THE_LAST) {
                assertThat(cluster.objects.keySet())
                        .as("killed at " + killed + " it goes on with its key: one Secret a step")
                        .filteredOn(path -> path.startsWith(SECRETS + "kube-apiserver-"))
                        .hasSizeLessThanOrEqualTo(4);
            }
            assertThat(mounted(DEPLOYMENT, "sa.key")).as("killed at " + killed).isEqualTo(signing);
            assertThat(List.of(outside("service-account.key"), outside("service-account.pub")))
                    .as("killed at " + killed)
                    .isEqualTo(List.of(signing, accepted));
        }
    }

    @Test
    void aServiceAccountKeyIsExchangedWhereverTheCommandIsKilled() throws Exception {
        // Four actions: accepts, servers sign, the controller manager signs, accepts nothing else.
        assertThat(KilledAnywhere.check(() -> new SigningWorld(directory))).isGreaterThanOrEqualTo(8);
    }
}
