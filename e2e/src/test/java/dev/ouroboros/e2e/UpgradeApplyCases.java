package dev.ouroboros.e2e;

import static dev.ouroboros.e2e.ApiServerChange.DAEMON_SET;
import static dev.ouroboros.e2e.ApiServerChange.SYSTEM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ouro upgrade apply} and {@code rollback} of the same release with other flags: killed at random moments, with somebody's own flag
 * in the cluster, while clients ask every 50 ms. It is no upgrade of a version.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class UpgradeApplyCases {
    private static final int KILLS = OuroProgram.LONG ? 10 : 1;
    private static final String OWN_FLAG = "--max-requests-inflight=401";

    private final OuroProgram ouro;
    private final UpgradeRuns upgrade;
    private final ControlPlane plane;
    private final ApiServerChange change;
    private final Path sandbox;
    /** The document that the cluster was made from. */
    private final String before;

    @TempDir
    private Path directory = Path.of("");

    /** @param plane of a cluster that is as it was made, whose keeper has short times */
    UpgradeApplyCases(OuroProgram ouro, ControlPlane plane, String document) {
        this.ouro = ouro;
        this.upgrade = new UpgradeRuns(ouro);
        this.plane = plane;
        this.change = new ApiServerChange(ouro, plane);
        this.sandbox = Path.of("/var/lib/ouroboros/sandboxes", ouro.sandbox());
        this.before = document;
    }

    @AfterAll
    void close() {
        plane.close();
    }

    @Test
    @Order(1)
    void whatSomebodyElseChangedToAnotherValueIsShownAndNothingIsDone() throws Exception {
        change.changed(() -> change.patch(ApiServerChange.add(OWN_FLAG)));
        Path document = document("conflict", "max-requests-inflight", "402");
        String version = resourceVersion();

        Result planned = upgrade.run(upgrade.command("plan", "--config", document.toString()));
        Result result = upgrade.run(upgrade.command("apply", "--config", document.toString(), "-o", "json"));

        assertThat(planned.exitCode()).as(planned.error()).isEqualTo(3);
        assertThat(planned.output()).contains("live-edits").contains("is 401 in the cluster, and is to become 402");
        assertThat(result.exitCode()).as(result.error()).isEqualTo(3);
        JsonNode conflict =
                new ObjectMapper().readTree(result.output()).path("conflicts").path(0);
        assertThat(conflict.path("object").asText()).isEqualTo("DaemonSet kube-system/kube-apiserver");
        assertThat(conflict.path("path").asText()).endsWith("--max-requests-inflight");
        assertThat(conflict.path("live").asText()).isEqualTo("401");
        assertThat(conflict.path("target").asText()).isEqualTo("402");
        assertThat(resourceVersion()).isEqualTo(version);
        assertThat(Files.readString(sandbox.resolve("cluster.yaml"))).isEqualTo(before);
    }

    /** Refused after etcd was saved and before anything was changed: whoever comes next finds nothing of it. */
    @Test
    @Order(2)
    void whatIsRefusedBeforeItChangedAnythingCannotBeTakenBack() throws Exception {
        Path document = document("refused", "v", "3");
        String version = resourceVersion();

        Result refused = upgrade.run(upgrade.command("apply", "--config", document.toString(), "--pre-hook", "exit 7"));

        assertThat(refused.exitCode()).as(refused.error()).isEqualTo(1);
        assertThat(refused.error()).contains("etcd is saved").contains("nothing was changed");
        Result back = upgrade.run(upgrade.command("rollback"));
        assertThat(back.exitCode()).as(back.output()).isEqualTo(2);
        assertThat(back.error()).contains("no upgrade is known that could be taken back");
        assertThat(resourceVersion()).isEqualTo(version);
        assertThat(Files.readString(sandbox.resolve("cluster.yaml"))).isEqualTo(before);
        try (Stream<Path> snapshots = Files.list(sandbox.resolve("snapshots"))) {
            // The next test counts its own.
            for (Path snapshot : snapshots.toList()) {
                Files.delete(snapshot);
            }
        }
    }

    @Test
    @Order(3)
    void aFlagThatIsInNoManifestIsShownSideBySide() throws Exception {
        Result same = upgrade.run(List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "diff",
                "kube-scheduler",
                "--name",
                ouro.sandbox(),
                "-o",
                "json"));
        assertThat(same.exitCode()).as(same.output() + same.error()).isZero();

        Result result = upgrade.run(List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "diff",
                "kube-apiserver",
                "--name",
                ouro.sandbox(),
                "-o",
                "json"));

        assertThat(result.exitCode()).as(result.error()).isEqualTo(3);
        JsonNode differences = new ObjectMapper().readTree(result.output()).path("differences");
        assertThat(differences).as(result.output()).hasSize(1);
        JsonNode flag = differences.path(0);
        assertThat(flag.path("path").asText()).endsWith("command --max-requests-inflight");
        assertThat(flag.path("intent").isNull()).isTrue();
        for (String side : List.of("api", "checkpoint", "process")) {
            assertThat(flag.path(side).asText()).as(side).isEqualTo("401");
        }
    }

    @Test
    @Order(4)
    void killedAtAnyMomentItGoesOnAndNoRequestFails() throws Exception {
        Path document = document("changed", "v", "3");
        Path hooked = directory.resolve("hooked");
        List<String> apply = upgrade.command(
                "apply",
                "--config",
                document.toString(),
                "--pre-hook",
                "echo $OURO_UPGRADE_FROM $OURO_UPGRADE_TO >> " + hooked,
                "--post-job",
                job().toString());
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            for (int kill = 0; kill < KILLS; kill++) {
                upgrade.runAndKill(apply);
            }
            Result result = upgrade.run(apply);
            assertThat(result.exitCode()).as(result.error()).isZero();
            availability.requireNoFailedRequest();
        }
        assertThat(change.served()).contains("--v=3", OWN_FLAG);
        assertThat(flags("deployment/kube-scheduler")).contains("--v=3");
        assertThat(Files.readString(sandbox.resolve("cluster.yaml"))).isEqualTo(Files.readString(document));
        try (Stream<Path> snapshots = Files.list(sandbox.resolve("snapshots"))) {
            assertThat(snapshots.filter(file -> file.toString().endsWith(".db")))
                    .as("one an upgrade, and one of each run that was killed before it changed anything")
                    .hasSizeBetween(1, KILLS + 1);
        }
        String version = version();
        assertThat(Files.readAllLines(hooked)).isNotEmpty().containsOnly(version + " " + version);
        assertThat(ouro.kubectl("get", "jobs", "-o", "jsonpath={.items[*].status.succeeded}"))
                .as("the Job runs once an upgrade, however often that is interrupted")
                .isEqualTo("1");
    }

    @Test
    @Order(5)
    void theWayBackKeepsTheOwnFlagAndLosesNoRequest() throws Exception {
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            upgrade.runAndKill(upgrade.command("rollback"));
            Result result = upgrade.run(upgrade.command("rollback"));
            assertThat(result.exitCode()).as(result.error()).isZero();
            availability.requireNoFailedRequest();
        }
        assertThat(change.served()).contains(OWN_FLAG).doesNotContain("--v=3");
        assertThat(flags("deployment/kube-scheduler")).doesNotContain("--v=3");
        assertThat(Files.readString(sandbox.resolve("cluster.yaml"))).isEqualTo(before);
    }

    @Test
    @Order(6)
    @Tag("long")
    void withTheOptionsOfARealHostNodesPullTheImagesFirst() throws Exception {
        String image = jsonPath("deployment/kube-scheduler", "{.spec.template.spec.containers[0].image}");
        // Of a registry that nobody has: a plan cannot know that, and blocks only what could not be pulled from
        // anywhere.
        String other = "registry.invalid/kube-scheduler:another-name";
        Path document = Files.writeString(directory.resolve("image.yaml"), before.replace(image, other));
        List<String> host = List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "upgrade",
                "apply",
                "--kubeconfig",
                ouro.kubeconfig().toString(),
                "--asset-dir",
                plane.node().file("/var/lib/ouroboros/assets").toString(),
                "--config",
                document.toString(),
                "--snapshot-dir",
                sandbox.resolve("snapshots").toString(),
                "--timeout",
                "20s");

        Result missing = upgrade.run(host);

        assertThat(missing.exitCode()).as(missing.error()).isEqualTo(1);
        assertThat(missing.error()).contains("to pull " + other).contains("ErrImage");
        assertThat(jsonPath("deployment/kube-scheduler", "{.spec.template.spec.containers[0].image}"))
                .isEqualTo(image);
        assertThat(ouro.kubectl("get", "pods", SYSTEM)).doesNotContain("ouroboros-images");

        ouro.inNode("ctr", "--namespace", "k8s.io", "images", "tag", image, other);
        Result there = upgrade.run(host);

        assertThat(there.exitCode()).as(there.error()).isZero();
        assertThat(there.error()).contains("pulls " + other);
        assertThat(jsonPath("deployment/kube-scheduler", "{.spec.template.spec.containers[0].image}"))
                .isEqualTo(other);
        Result back = upgrade.run(upgrade.command("rollback"));
        assertThat(back.exitCode()).as(back.error()).isZero();
        assertThat(jsonPath("deployment/kube-scheduler", "{.spec.template.spec.containers[0].image}"))
                .isEqualTo(image);
    }

    @Test
    @Order(7)
    @Tag("long")
    void newProgramsServeAsTheVersionOfBeforeUntilThatIsEnded() throws Exception {
        KubernetesVersion version = KubernetesVersion.parse(version()).orElseThrow();
        int minor = version.minor();
        assumeTrue(minor > 31, "no version before serves as an older one");
        String older = KubernetesVersion.of(version.major(), minor - 1).minorName();
        try (Availability availability = Availability.of(ouro.kubeconfig())) {
            Result tried = upgrade.run(upgrade.command("apply", "--emulated-version", older));
            assertThat(tried.exitCode()).as(tried.error()).isZero();
            assertThat(ouro.kubectl("get", "--raw", "/version"))
                    .contains("\"emulationMinor\": \"" + (minor - 1) + "\"");
            assertThat(flags("deployment/kube-scheduler")).contains("--emulated-version=" + older);
            assertThat(Files.readString(sandbox.resolve("cluster.yaml")))
                    .contains("emulatedVersion: \"" + older + "\"");

            Result ended = upgrade.run(upgrade.command("apply", "--emulated-version", "none"));
            assertThat(ended.exitCode()).as(ended.error()).isZero();
            assertThat(ouro.kubectl("get", "--raw", "/version")).contains("\"emulationMinor\": \"" + minor + "\"");
            assertThat(flags("deployment/kube-scheduler")).doesNotContain("emulated-version");
            availability.requireNoFailedRequest();
        }
        Result refused = upgrade.run(upgrade.command("rollback"));
        assertThat(refused.exitCode())
                .as("what the newer APIs stored, an older one may not read")
                .isEqualTo(3);
        assertThat(refused.output()).contains("--accept-loss");
    }

    @Test
    @Order(8)
    @Tag("long")
    void theWayBackToTheSnapshotNamesTheLossAndIsGoneOnlyWhenItIsAccepted() throws Exception {
        ouro.kubectl("create", "configmap", "written-since");
        Result named = upgrade.run(upgrade.command("rollback", "--to-snapshot"));
        assertThat(named.exitCode()).as(named.error()).isEqualTo(3);
        Matcher revision = Pattern.compile("--accept-loss (\\d+)").matcher(named.output());
        assertThat(revision.find()).as(named.output()).isTrue();
        Result wrong = upgrade.run(upgrade.command("rollback", "--to-snapshot", "--accept-loss", "1"));
        assertThat(wrong.exitCode()).as(wrong.output()).isEqualTo(3);
        assertThat(ouro.kubectl("get", "configmap", "written-since")).isNotEmpty();

        Result restored = upgrade.run(upgrade.command("rollback", "--to-snapshot", "--accept-loss", revision.group(1)));

        assertThat(restored.exitCode()).as(restored.error()).isZero();
        assertThat(ouro.kubectl("get", "configmaps")).doesNotContain("written-since");
        assertThat(change.served()).contains(OWN_FLAG);
    }

    /** One that ends: etcd's image is on the node, and has a program that says its version. */
    private Path job() throws Exception {
        String image = jsonPath("pod/etcd-" + ouro.nodeName(), "{.spec.containers[0].image}");
        return Files.writeString(directory.resolve("job.yaml"), """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: looked-after, namespace: default}
                spec:
                  template:
                    spec:
                      restartPolicy: Never
                      containers:
                      - {name: version, image: "%s", command: [etcdctl, version]}
                """.formatted(image));
    }

    private String version() throws Exception {
        return new ObjectMapper()
                .readTree(ouro.kubectl("get", "--raw", "/version"))
                .path("gitVersion")
                .asText()
                .substring(1);
    }

    private String jsonPath(String object, String path) {
        return ouro.kubectl("get", object, SYSTEM, "-o", "jsonpath=" + path);
    }

    /** The sandbox's document with a flag of the API server and of the scheduler. */
    private Path document(String name, String flag, String value) throws Exception {
        Path file = directory.resolve(name + ".yaml");
        String scheduler = flag.equals("v") ? "\n    kubeScheduler:\n      v: \"" + value + "\"" : "";
        assertThat(before).contains(ApiServerChange.FLAGS);
        Files.writeString(
                file,
                before.replace(
                        ApiServerChange.FLAGS,
                        ApiServerChange.FLAGS + "      " + flag + ": \"" + value + "\"" + scheduler + "\n"));
        return file;
    }

    private String flags(String workload) {
        return jsonPath(workload, "{.spec.template.spec.containers[0].command}");
    }

    private String resourceVersion() {
        return jsonPath(DAEMON_SET, "{.metadata.resourceVersion}");
    }
}
