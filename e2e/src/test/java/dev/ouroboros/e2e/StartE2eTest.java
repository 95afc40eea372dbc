package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code ouro start} on a node that runs nothing but a kubelet and etcd: killed, hindered and misled. */
@Tag("e2e")
final class StartE2eTest {
    private static final String NAME = "e2e-start";
    private static final String BOOTSTRAP_API_SERVER = Ouro.ASSETS + "/bootstrap-manifests/bootstrap-apiserver.yaml";
    private static final int KILLS = Ouro.LONG ? 100 : 10;

    private final Ouro ouro = new Ouro(NAME);

    @BeforeEach
    void aNodeWithoutAControlPlane() {
        ouro.down();
        ouro.up("--no-start");
    }

    @AfterEach
    void down() {
        ouro.down();
    }

    private List<String> start() {
        List<String> command = ouro.command("exec");
        command.addAll(List.of(ouro.nodeName(), "--", "ouro", "start"));
        command.addAll(List.of("--asset-dir", Ouro.ASSETS));
        return command;
    }

    private Result runStart(String... more) {
        return ouro.startInNode(more);
    }

    @Test
    void startGoesOnAfterItWasKilledAtTenRandomMoments() throws Exception {
        long seed = System.nanoTime();
        System.err.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < KILLS; i++) {
            Process process = new ProcessBuilder(start()).inheritIO().start();
            // A time is what is random here: at which instruction it is hit.
            if (!process.waitFor(500 + random.nextInt(3500), TimeUnit.MILLISECONDS)) {
                ouro.inNode("sh", "-c", "pkill -9 -f 'dev.ouroboros.cli.Our[o] start' || true");
                assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            }
        }

        Result last = runStart();

        assertThat(last.exitCode()).as("seed %d: %s", seed, last.error()).isZero();
        assertThat(ouro.inNode("ls", "/etc/kubernetes/manifests").strip())
                .contains("etcd")
                .hasLineCount(1);
        assertThat(ouro.kubectl(
                                "get",
                                "daemonset",
                                "kube-apiserver",
                                "-n",
                                "kube-system",
                                "-o",
                                "jsonpath={.status.numberReady}")
                        .strip())
                .isEqualTo("1");
    }

    @Test
    void aForeignStaticManifestIsNeitherOverwrittenNorRemoved() {
        String file = "/etc/kubernetes/manifests/bootstrap-apiserver.yaml";
        ouro.inNode("sh", "-c", "printf 'kind: Pod\\nmetadata: {name: somebody}\\n' >" + file);

        Result result = runStart();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.error()).contains("FOREIGN_FILE").contains("bootstrap-kube-apiserver");
        assertThat(ouro.inNode("cat", file)).contains("somebody");
        assertThat(ouro.inNode("ls", "/etc/kubernetes")).doesNotContain("bootstrap-secrets");
    }

    @Test
    void aServerThatCannotStartIsNamedWithItsLastLinesAndEverythingIsTakenBack() throws IOException {
        Path manifest = ouro.nodeFile(BOOTSTRAP_API_SERVER);
        String right = Files.readString(manifest);
        Files.writeString(manifest, right.replace("- --allow-privileged=true", "- --no-such-flag=1"));

        Result result = runStart("--timeout", "40s");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.error()).contains("kube-apiserver").contains("unknown flag: --no-such-flag");
        assertThat(ouro.inNode("ls", "/etc/kubernetes/manifests").strip())
                .contains("etcd")
                .hasLineCount(1);
        assertThat(ouro.inNode("ls", "/etc/kubernetes")).doesNotContain("bootstrap-secrets");

        Files.writeString(manifest, right);
        Result again = runStart();
        assertThat(again.exitCode()).as(again.error()).isZero();
    }

    @Test
    void aDirectoryAsBootkubeRendersItIsStarted() throws IOException {
        // bootkube's own: the final port, the default reconciler, no marker of ours.
        Path manifest = ouro.nodeFile(BOOTSTRAP_API_SERVER);
        String ours = Files.readString(manifest, StandardCharsets.UTF_8);
        Files.writeString(
                manifest,
                ours.replace("--secure-port=26443", "--secure-port=6443")
                        .replace("    - --endpoint-reconciler-type=none\n", "")
                        .replaceAll("(?m)^ *ouroboros.dev/.*\n", ""));

        Result result = runStart();

        assertThat(result.exitCode()).as(result.error()).isZero();
        assertThat(Files.readString(manifest)).contains("--secure-port=6443");
    }
}
