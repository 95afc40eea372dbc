package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.pivot.Phase;
import dev.ouroboros.e2e.ProgressKill.Kill;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
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
    /** In milliseconds; some phases are shorter, so that the next one is hit. */
    private static final int LONGEST_DELAY = 1500;

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

    /** The phases of a start that succeeds, but its end. */
    private static List<Phase> phasesOfARun() {
        return EnumSet.range(Phase.PREPARING, Phase.ACCEPTING).stream().toList();
    }

    private Result runStart(String... more) {
        return ouro.startInNode(more);
    }

    @Test
    void startGoesOnAfterItWasKilledAtTenRandomMoments() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Phase> phases = phasesOfARun();
        ProgressKill killer =
                new ProgressKill(phases.stream().map(Phase::description).toList(), true);
        List<Phase> aims = new ArrayList<>(phases);
        while (aims.size() < KILLS) {
            aims.add(phases.get(random.nextInt(phases.size())));
        }
        // A start goes on where the last one was killed: in this order each of them comes to its phase.
        Collections.sort(aims);

        List<Kill> kills = new ArrayList<>();
        for (Phase aim : aims) {
            Duration delay = Duration.ofMillis(random.nextInt(LONGEST_DELAY));
            Kill kill = killer.run(ouro.startCommand(), aim.description(), delay);
            System.err.println("seed " + seed + ", kill " + (kills.size() + 1) + ": " + kill);
            kills.add(kill);
        }
        assertThat(kills.stream().flatMap(kill -> kill.hit().stream()).distinct())
                .as("kills in most of the phases, seed %d: %s", seed, kills)
                .hasSizeGreaterThan(phases.size() / 2);

        Result last = runStart();

        assertThat(last.exitCode()).as("seed %d: %s", seed, last.error()).isZero();
        assertThat(ouro.inNode("ls", "/etc/kubernetes/manifests").strip())
                .contains("etcd")
                .hasLineCount(2)
                .contains("ouroboros-keeper.json");
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
