package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ApiServerChange.SYSTEM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * {@code ouro upgrade} of a whole cluster to another version and back, with the programs of {@code -Douroboros.target=DIR} as the other
 * version: killed at random moments, with somebody's own flag in the cluster, while clients ask every 50 ms.
 */
@Tag("e2e")
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class VersionUpgradeE2eTest {
    private static final String TARGET = System.getProperty("ouroboros.target", "");
    private static final int KILLS = OuroProgram.LONG ? 10 : 3;
    private static final String OWN_FLAG = "--max-requests-inflight=401";
    private static final String NAME = "e2e-version";
    private static final Path SANDBOX = Path.of("/var/lib/ouroboros/sandboxes", NAME);
    private static final List<String> WORKLOADS = List.of(
            "daemonset/kube-apiserver",
            "deployment/kube-controller-manager",
            "deployment/kube-scheduler",
            "daemonset/kube-proxy");

    private final OuroProgram ouro = new OuroProgram(NAME);
    private final UpgradeRuns upgrade = new UpgradeRuns(ouro);

    private ControlPlane plane;
    private ApiServerChange change;
    private KubernetesVersion before;
    private KubernetesVersion target;

    @BeforeAll
    void up() throws Exception {
        assumeTrue(!TARGET.isEmpty(), "no programs of another version: -Douroboros.target=DIR");
        Result printed = new LocalProcesses()
                .run(Command.of(Path.of(TARGET, "kube-apiserver").toString(), "--version"));
        target = version(printed.orThrow().replace("Kubernetes", "").strip());
        plane = ApiServerChange.clusterWithShortTimes(ouro);
        change = new ApiServerChange(ouro, plane);
        before = served();
        change.changed(() -> change.patch(ApiServerChange.add(OWN_FLAG)));
    }

    @AfterAll
    void down() throws Exception {
        if (plane != null) {
            plane.printDecisions();
            plane.close();
            ouro.down();
        }
    }

    @Test
    @Order(1)
    void aVersionThatIsTooFarAwayIsBlockedAndNothingIsDone() throws Exception {
        String tooFar = KubernetesVersion.of(before.major(), before.minor() + 2).tag();
        String document = Files.readString(SANDBOX.resolve("cluster.yaml"));

        Result result = upgrade.run(upgrade.command("apply", tooFar));

        assertThat(result.exitCode()).as(result.output() + result.error()).isEqualTo(3);
        assertThat(result.output() + result.error()).contains("minor");
        assertThat(served()).isEqualTo(before);
        assertThat(Files.readString(SANDBOX.resolve("cluster.yaml"))).isEqualTo(document);
    }

    @Test
    @Order(2)
    void killedAtAnyMomentItComesToTheOtherVersionAndNoRequestFails() throws Exception {
        ouro.kubectl("create", "configmap", "written-before");
        List<String> apply = upgrade.command("apply", target.tag(), "--binaries", TARGET);
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            for (int kill = 0; kill < KILLS; kill++) {
                upgrade.runAndKill(apply);
            }
            Result result = upgrade.run(apply);
            assertThat(result.exitCode()).as(result.output() + result.error()).isZero();
            availability.requireNoFailedRequest();
        }
        assertThat(served()).isEqualTo(target);
        assertThat(WORKLOADS).allSatisfy(workload -> assertThat(image(workload)).endsWith(":" + target.number()));
        assertThat(change.served()).contains(OWN_FLAG);
        assertThat(ouro.kubectl("get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.kubeletVersion}"))
                .isEqualTo(target.tag());
        assertThat(Files.readString(SANDBOX.resolve("cluster.yaml"))).contains(target.number());
        assertThat(ouro.kubectl("get", "configmap", "written-before")).isNotEmpty();
    }

    @Test
    @Order(3)
    void theWayBackLosesNothingWithinAMinorAndNamesTheLossAcross() throws Exception {
        ouro.kubectl("create", "configmap", "written-since");
        boolean across = target.minor() != before.minor();
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            Result back = upgrade.run(upgrade.command("rollback"));
            assertThat(back.exitCode()).as(back.output() + back.error()).isEqualTo(across ? 3 : 0);
            availability.requireNoFailedRequest();
            if (across) {
                assertThat(served()).as("nothing was done").isEqualTo(target);
                restore(back);
            }
        }
        assertThat(served()).isEqualTo(before);
        assertThat(WORKLOADS).allSatisfy(workload -> assertThat(image(workload)).endsWith(":" + before.number()));
        assertThat(change.served()).contains(OWN_FLAG);
        assertThat(ouro.kubectl("get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.kubeletVersion}"))
                .isEqualTo(before.tag());
        assertThat(ouro.kubectl("get", "configmap", "written-before")).isNotEmpty();
        assertThat(ouro.kubectl("get", "configmaps").contains("written-since")).isNotEqualTo(across);
    }

    private void restore(Result named) {
        Matcher revision = Pattern.compile("--accept-loss (\\d+)").matcher(named.output());
        assertThat(revision.find()).as(named.output()).isTrue();
        Result restored = upgrade.run(upgrade.command("rollback", "--accept-loss", revision.group(1)));
        assertThat(restored.exitCode()).as(restored.output() + restored.error()).isZero();
    }

    private String image(String workload) {
        return ouro.kubectl("get", workload, SYSTEM, "-o", "jsonpath={.spec.template.spec.containers[0].image}");
    }

    private KubernetesVersion served() throws Exception {
        return version(new ObjectMapper()
                .readTree(ouro.kubectl("get", "--raw", "/version"))
                .path("gitVersion")
                .asText());
    }

    private static KubernetesVersion version(String text) {
        return KubernetesVersion.parse(text).orElseThrow(() -> new AssertionError("no version: " + text));
    }
}
