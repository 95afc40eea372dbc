package dev.ouroboros.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.testing.InterruptedDriver;
import dev.ouroboros.node.testing.SilentListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotations whose process ends before or behind any of their actions, and is started again. */
final class KilledRotationsTest {
    /** Before and behind each of four actions: who is killed behind the last one has exchanged the key, and the next run begins another exchange. */
    private static final int BEHIND_THE_LAST = 7;

    @TempDir
    private Path directory = Path.of(".");

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der) + "\n-----END "
                + kind + "-----\n";
    }

    private static KeyRotations rotations(KeyedControlPlane plane, KilledAnywhere.Place place) {
        ProcedureListener silence = new SilentListener();
        Patience patience = new Patience(silence, Duration.ofSeconds(5), Duration.ZERO, InstantSource.system());
        return plane.rotations(silence, patience, new InterruptedDriver(patience, place));
    }

    private Path assets() throws IOException {
        return Files.createTempDirectory(directory, "assets");
    }

    private record EncryptionWorld(KeyedControlPlane plane) implements KilledAnywhere.World {
        @Override
        public void run(KilledAnywhere.Place place) {
            rotations(plane, place).encryptionKey();
        }

        @Override
        public void judge(int killed) throws IOException {
            String now = plane.mounted(FakeCluster.DAEMON_SET, "encryption.yaml");
            assertThat(now).as("killed at " + killed).doesNotContain("key1").containsOnlyOnce("name: key");
            if (killed < BEHIND_THE_LAST) {
                assertThat(now)
                        .as("killed at " + killed + " it goes on with its key")
                        .contains("name: key2");
            }
            assertThat(plane.outside("encryption-config.yaml"))
                    .as("killed at " + killed)
                    .isEqualTo(now);
        }
    }

    @Test
    void anEncryptionKeyIsExchangedWhereverTheCommandIsKilled() throws Exception {
        // Four actions: reads, writes, everything written anew, reads nothing else.
        assertThat(KilledAnywhere.check(() -> new EncryptionWorld(KeyedControlPlane.encrypting(assets()))))
                .isGreaterThanOrEqualTo(8);
    }

    private record SigningWorld(KeyedControlPlane plane, String former) implements KilledAnywhere.World {
        static SigningWorld in(Path assets) throws IOException, GeneralSecurityException {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            String publicKey = pem("PUBLIC KEY", pair.getPublic().getEncoded());
            return new SigningWorld(
                    KeyedControlPlane.signing(
                            assets, pem("PRIVATE KEY", pair.getPrivate().getEncoded()), publicKey),
                    publicKey);
        }

        @Override
        public void run(KilledAnywhere.Place place) {
            rotations(plane, place).serviceAccountKey(true);
        }

        @Override
        public void judge(int killed) throws IOException {
            String accepted = plane.mounted(FakeCluster.DAEMON_SET, "sa.pub");
            String signing = plane.mounted(FakeCluster.DAEMON_SET, "sa.key");
            assertThat(accepted)
                    .as("killed at " + killed)
                    .doesNotContain(former.lines().skip(1).findFirst().orElseThrow())
                    .containsOnlyOnce("BEGIN PUBLIC KEY");
            if (killed < BEHIND_THE_LAST) {
                assertThat(plane.cluster.objects.keySet())
                        .as("killed at " + killed + " it goes on with its key: one Secret a step")
                        .filteredOn(path -> path.startsWith(KeyedControlPlane.SECRETS + "kube-apiserver-"))
                        .hasSizeLessThanOrEqualTo(4);
            }
            assertThat(plane.mounted(KeyedControlPlane.MANAGER, "sa.key"))
                    .as("killed at " + killed)
                    .isEqualTo(signing);
            assertThat(List.of(plane.outside("service-account.key"), plane.outside("service-account.pub")))
                    .as("killed at " + killed)
                    .isEqualTo(List.of(signing, accepted));
        }
    }

    @Test
    void aServiceAccountKeyIsExchangedWhereverTheCommandIsKilled() throws Exception {
        // Four actions: accepts, servers sign, the controller manager signs, accepts nothing else.
        assertThat(KilledAnywhere.check(() -> SigningWorld.in(assets()))).isGreaterThanOrEqualTo(8);
    }
}
