package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.e2e.ProgressKill.Kill;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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
    private static final String BOOTSTRAP_API_SERVER =
            OuroProgram.ASSETS + "/bootstrap-manifests/bootstrap-apiserver.yaml";
    private static final int KILLS = OuroProgram.LONG ? 100 : 6;
    /** In milliseconds; some phases are shorter, so that the next one is hit. */
    private static final int LONGEST_DELAY = 1500;

    private final OuroProgram ouro = new OuroProgram(NAME);

    @BeforeEach
    void aNodeWithoutAControlPlane() {
        ouro.down();
        ouro.up("--no-start");
    }

    @AfterEach
    void down() {
        ouro.down();
    }

    /** The phases of a start that succeeds on a machine that is not slow, but its end. */
    private static List<Phase> phasesOfARun() {
        return EnumSet.range(Phase.PREPARING, Phase.ACCEPTING).stream()
                .filter(phase -> phase != Phase.COMPLETING)
                .toList();
    }

    private record Aim(Phase phase, Duration delay) {}

    private Result runStart(String... more) {
        return ouro.startInNode(more);
    }

    @Test
    void startGoesOnAfterItWasKilledAtRandomMoments() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Phase> phases = phasesOfARun();
        ProgressKill killer =
                new ProgressKill(phases.stream().map(Phase::description).toList(), true);
        // Each phase once at its beginning: some are so short that a random moment would seldom hit them.
        List<Aim> aims = new ArrayList<>(
                phases.stream().map(phase -> new Aim(phase, Duration.ZERO)).toList());
        while (aims.size() < KILLS) {
            Phase phase = phases.get(random.nextInt(phases.size()));
            aims.add(new Aim(phase, Duration.ofMillis(random.nextInt(LONGEST_DELAY))));
        }
        // A start goes on where the last one was killed: in this order each of them comes to its phase.
        aims.sort(Comparator.comparing(Aim::phase));

        List<Kill> kills = new ArrayList<>();
        for (Aim aim : aims) {
            Kill kill = killer.run(ouro.startCommand(), aim.phase().description(), aim.delay());
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
    @Tag("long")
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
    @Tag("long")
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
    @Tag("long")
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

    @Test
    @Tag("long")
    void aDirectoryForLoopbackIsRefusedUntilAnOutageIsAllowed() throws IOException {
        ouro.replaceInAssets("auth/kubeconfig", "server: .*", "server: https://127.0.0.1:6443");
        ouro.replaceInAssets(
                "bootstrap-manifests/bootstrap-apiserver.yaml", "--secure-port=26443", "--secure-port=6443");
        ouro.replaceInAssets(
                "bootstrap-manifests/bootstrap-apiserver.yaml", " *- --endpoint-reconciler-type=none\n", "");
        ouro.replaceInAssets("manifests/kube-apiserver.yaml", " *- --endpoint-reconciler-type=none\n", "");

        Result refused = runStart();
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.error()).contains("--allow-outage");
        assertThat(ouro.inNode("ls", "/etc/kubernetes")).doesNotContain("bootstrap-secrets");

        Result result = runStart("--allow-outage");

        assertThat(result.exitCode()).as(result.error()).isZero();
        assertThat(ouro.inNode("ls", "/etc/kubernetes/manifests"))
                .contains("etcd")
                .doesNotContain("bootstrap-");
    }

    @Test
    @Tag("long")
    void aBootkubeDirectoryIsAdoptedAndSaysWhatItAlters() throws IOException {
        String manifest = "manifests/kube-apiserver.yaml";
        ouro.replaceInAssets(manifest, "type: OnDelete", "type: RollingUpdate");
        ouro.replaceInAssets(manifest, " *- --endpoint-reconciler-type=none\n", "");
        ouro.replaceInAssets(manifest, "ouroboros.dev/checkpoint", "checkpointer.alpha.coreos.com/checkpoint");
        ouro.replaceInAssets(manifest, "automountServiceAccountToken: false", "automountServiceAccountToken: true");
        ouro.replaceInAssets(
                "bootstrap-manifests/bootstrap-apiserver.yaml", "--secure-port=26443", "--secure-port=6443");
        Files.writeString(ouro.nodeFile(OuroProgram.ASSETS + "/manifests/pod-checkpointer-sa.yaml"), """
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: pod-checkpointer, namespace: kube-system}
                """);

        Result plan = runStart("--adopt", "--dry-run");
        assertThat(plan.exitCode()).as(plan.error()).isZero();
        assertThat(plan.output())
                .contains("spec.updateStrategy: OnDelete")
                .contains("--endpoint-reconciler-type: none")
                .contains("pod-checkpointer: not applied");
        assertThat(ouro.inNode("ls", "/etc/kubernetes")).doesNotContain("bootstrap-secrets");

        Result result = runStart("--adopt");

        assertThat(result.exitCode()).as(result.error()).isZero();
        JsonNode server = ouro.kubectlJson("get", "daemonset", "kube-apiserver", "-n", "kube-system");
        assertThat(server.at("/spec/updateStrategy/type").asText()).isEqualTo("OnDelete");
        assertThat(server.at("/spec/template/metadata/annotations").toString())
                .contains("ouroboros.dev/checkpoint")
                .doesNotContain("coreos");
        assertThat(server.at("/spec/template/spec").toString()).contains("--endpoint-reconciler-type=none");
        assertThat(ouro.kubectl("get", "serviceaccounts", "-n", "kube-system")).doesNotContain("pod-checkpointer");
    }

    @Test
    @Tag("long")
    void aForeignServerOnThePortIsNamedBeforeAnythingIsChanged() throws Exception {
        List<String> command = ouro.command("exec");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Files.writeString(ouro.nodeFile("/tmp/Foreign.java"), """
                void main() throws Exception {
                    try (var socket = new java.net.ServerSocket(6443)) {
                        while (true) {
                            socket.accept().close();
                        }
                    }
                }
                """);
        command.addAll(List.of(ouro.nodeName(), "--", java, "/tmp/Foreign.java"));
        Process foreign = new ProcessBuilder(command).inheritIO().start();
        try {
            ouro.inNode("sh", "-c", "until ss -ltn | grep -q ':6443 '; do sleep 0.1; done");

            Result result = runStart();

            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.error())
                    .contains("PORT_IN_USE")
                    .contains("port 6443")
                    .contains("Foreign.java");
            assertThat(ouro.inNode("ls", "/etc/kubernetes")).doesNotContain("bootstrap-secrets");
        } finally {
            foreign.destroy();
            foreign.waitFor();
        }
    }

    @Test
    @Tag("long")
    void aSelfHostedComponentThatCannotStartIsNamedWithItsLastLines() throws IOException {
        ouro.replaceInAssets("manifests/kube-scheduler.yaml", "- --leader-elect=true", "- --no-such-flag=1");

        // Half a minute may pass until the Lease of the case before, whose controller manager was ended, is free.
        Result result = runStart("--timeout", "90s");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.error())
                .containsPattern("last lines of kube-system/kube-scheduler-\\S+, container kube-scheduler:")
                .contains("unknown flag: --no-such-flag");
        assertThat(ouro.inNode("ls", "/etc/kubernetes/manifests")).doesNotContain("bootstrap-");
    }

    /** Its DaemonSet is updated on delete, and no keeper proves a change before there was a control plane. */
    @Test
    @Tag("long")
    void anApiServerOfABadTemplateIsReplacedOnceAGoodOneIsAskedFor() throws IOException {
        ouro.replaceInAssets("manifests/kube-apiserver.yaml", "- --profiling=false", "- --no-such-flag=1");
        Result first = runStart("--timeout", "90s");
        assertThat(first.exitCode()).isEqualTo(1);
        assertThat(first.error()).contains("unknown flag: --no-such-flag");
        ouro.replaceInAssets("manifests/kube-apiserver.yaml", "- --no-such-flag=1", "- --profiling=false");

        Result second = runStart();

        assertThat(second.exitCode()).as(second.error()).isZero();
        assertThat(second.error())
                .contains("deleting the API server's pod: the self-hosted API server cannot take over");
    }
}
