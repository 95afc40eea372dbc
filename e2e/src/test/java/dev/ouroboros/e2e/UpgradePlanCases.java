package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.sandbox.SandboxName;
import dev.ouroboros.sandbox.SandboxPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ouro upgrade plan} on a real cluster: what can be done is green, what cannot is blocked, and nothing is ever changed. */
abstract class UpgradePlanCases {
    private static final int FINDINGS = 3;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> KINDS = List.of(
            "daemonsets",
            "deployments",
            "secrets",
            "configmaps",
            "services",
            "roles",
            "rolebindings",
            "controllerrevisions");

    private final OuroProgram ouro;
    private final Path document;

    private Map<String, String> before = Map.of();

    @TempDir
    private Path directory = Path.of(".");

    /** @param ouro of a cluster that is at rest before each test */
    UpgradePlanCases(OuroProgram ouro) {
        this.ouro = ouro;
        this.document = new SandboxPaths(SandboxPaths.DEFAULT_ROOT, new SandboxName(ouro.sandbox())).clusterDocument();
    }

    @BeforeEach
    void rememberEverything() throws IOException {
        before = everything();
    }

    @AfterEach
    void nothingWasChanged() throws IOException {
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void theNextMinorVersionCanBePlanned() throws IOException {
        KubernetesVersion now = version();
        String next = now.major() + "." + (now.minor() + 1) + ".0";

        JsonNode plan = plan(0, next);

        assertThat(plan.path("from").asText()).isEqualTo(now.tag());
        assertThat(texts(plan.path("components"), "name"))
                .contains(
                        "kube-apiserver",
                        "kube-controller-manager",
                        "kube-scheduler",
                        "kube-proxy",
                        "kubelet",
                        "etcd",
                        "ouroboros-keeper");
        assertThat(texts(plan.path("steps"), "step"))
                .containsSubsequence(
                        "snapshot",
                        "images",
                        "assets",
                        "shared-objects",
                        "api-server",
                        "controller-manager",
                        "scheduler",
                        "proxy",
                        "acceptance",
                        "kubelet");
        plan.path("steps")
                .forEach(step -> step.path("skew")
                        .forEach(pair -> assertThat(pair.path("allowed").asBoolean())
                                .as("%s", pair)
                                .isTrue()));
        assertThat(findings(plan, "unknown"))
                .extracting(finding -> finding.path("object").asText())
                .containsExactly("stored objects");
    }

    @Test
    @Tag("long")
    void aChangedFlagOfTheSameVersionTouchesItsComponentAlone() throws IOException {
        Path changed = Files.writeString(
                directory.resolve("changed.yaml"),
                Files.readString(document).replace("\nspec:", "\nspec:\n  extraArgs: {kubeScheduler: {v: \"3\"}}"));

        JsonNode plan = plan(0, "--config", changed.toString());

        assertThat(texts(plan.path("steps"), "step")).contains("scheduler").doesNotContain("api-server", "kubelet");
    }

    @Test
    void theSameAgainIsNothingToDo() throws IOException {
        JsonNode plan = plan(0);

        assertThat(plan.path("steps")).isEmpty();
        assertThat(findings(plan, "blocking")).isEmpty();
        assertThat(findings(plan, "warning")).isEmpty();
    }

    @Test
    @Tag("long")
    void aJumpOverAMinorVersionIsBlocked() throws IOException {
        KubernetesVersion now = version();

        JsonNode plan = plan(FINDINGS, now.major() + "." + (now.minor() + 2) + ".0");

        assertThat(plan.path("steps")).isEmpty();
        assertThat(findings(plan, "blocking")).anySatisfy(finding -> {
            assertThat(finding.path("check").asText()).isEqualTo("route");
            assertThat(finding.path("object").asText()).isEqualTo("kube-apiserver");
            assertThat(finding.path("next").asText()).contains(now.major() + "." + (now.minor() + 1));
        });
    }

    @Test
    @Tag("long")
    void whatTheTargetCannotBeRenderedWithIsBlockedAtItsLine() throws IOException {
        Path changed = Files.writeString(
                directory.resolve("bad.yaml"),
                Files.readString(document)
                        .replace("\nspec:", "\nspec:\n  extraArgs: {kubeScheduler: {no-such-flag: \"3\"}}"));

        JsonNode plan = plan(FINDINGS, "--config", changed.toString());

        assertThat(findings(plan, "blocking")).anySatisfy(finding -> {
            assertThat(finding.path("check").asText()).isEqualTo("target");
            assertThat(finding.path("object").asText()).contains("bad.yaml:").contains("no-such-flag");
        });
    }

    @Test
    void whatALivingClusterCannotTakeIsBlockedAtItsLineAndNotApplied() throws IOException {
        String text = Files.readString(document);
        Path changed = Files.writeString(
                directory.resolve("cidr.yaml"),
                text.contains("podCIDR:")
                        ? text.replaceFirst("podCIDR: .*", "podCIDR: 10.99.0.0/16")
                        : text.replace("\nspec:", "\nspec:\n  network: {podCIDR: 10.99.0.0/16}"));

        JsonNode plan = plan(FINDINGS, "--config", changed.toString());

        assertThat(findings(plan, "blocking")).singleElement().satisfies(finding -> {
            assertThat(finding.path("check").asText()).isEqualTo("living-cluster");
            assertThat(finding.path("object").asText()).contains("cidr.yaml:").contains("spec.network.podCIDR");
            assertThat(finding.path("next").asText()).contains("another cluster");
        });
        Result applied = ouro.run(
                List.of(
                        OuroProgram.CHECKOUT.resolve("ouro").toString(),
                        "upgrade",
                        "apply",
                        "--name",
                        ouro.sandbox(),
                        "--config",
                        changed.toString()),
                Duration.ofMinutes(2));
        assertThat(applied.exitCode()).as(applied.error()).isEqualTo(FINDINGS);
        assertThat(applied.error()).contains("spec.network.podCIDR").contains("nothing was changed");
    }

    @Test
    void aClusterThatIsHeldIsBlockedAndSaysWhatToDo() throws IOException {
        ouro.kubectl("-n", "kube-system", "annotate", "daemonset/kube-apiserver", "ouroboros.dev/paused=true");
        try {
            Map<String, String> held = everything();
            JsonNode plan = plan(FINDINGS);

            assertThat(everything()).isEqualTo(held);
            assertThat(findings(plan, "blocking")).anySatisfy(finding -> {
                assertThat(finding.path("object").asText()).isEqualTo("DaemonSet kube-system/kube-apiserver");
                assertThat(finding.path("next").asText()).isEqualTo("ouro change resume --name " + ouro.sandbox());
            });
        } finally {
            ouro.kubectl("-n", "kube-system", "annotate", "daemonset/kube-apiserver", "ouroboros.dev/paused-");
            assertThat(ouro.run("status", "--wait=1m").exitCode()).isZero();
            before = everything();
        }
    }

    /** The snapshot says in which versions objects are stored, and the running programs which flags they know. */
    @Test
    void nothingIsUnknownWithASnapshot() throws IOException {
        Path snapshot = directory.resolve("now.db");
        Result saved = ouro.run(
                List.of(
                        OuroProgram.CHECKOUT.resolve("ouro").toString(),
                        "snapshot",
                        "save",
                        snapshot.toString(),
                        "--name",
                        ouro.sandbox()),
                Duration.ofMinutes(2));
        assertThat(saved.exitCode()).as(saved.error()).isZero();

        JsonNode plan = plan(0, "--snapshot", snapshot.toString());

        assertThat(findings(plan, "unknown")).isEmpty();
    }

    private KubernetesVersion version() throws IOException {
        return KubernetesVersion.parse(
                        ouro.json("nodes").path(0).path("kubernetesVersion").asText())
                .orElseThrow();
    }

    private JsonNode plan(int exitCode, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                OuroProgram.CHECKOUT.resolve("ouro").toString(),
                "upgrade",
                "plan",
                "--name",
                ouro.sandbox(),
                "-o",
                "json"));
        command.addAll(List.of(arguments));
        Result result = ouro.run(command, Duration.ofMinutes(2));
        assertThat(result.exitCode())
                .as("%s\n%s", result.output(), result.error())
                .isEqualTo(exitCode);
        return JSON.readTree(result.output());
    }

    private static List<JsonNode> findings(JsonNode plan, String severity) {
        return elements(plan.path("findings"))
                .filter(finding -> finding.path("severity").asText().equals(severity))
                .toList();
    }

    private static List<String> texts(JsonNode array, String field) {
        return elements(array).map(element -> element.path(field).asText()).toList();
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Resource versions of what an upgrade would change, and when each file of the assets was written. */
    private Map<String, String> everything() throws IOException {
        Map<String, String> all = new TreeMap<>();
        JsonNode objects = ouro.kubectlJson("-n", "kube-system", "get", String.join(",", KINDS));
        elements(objects.path("items"))
                .forEach(object -> all.put(
                        object.path("kind").asText() + "/"
                                + object.path("metadata").path("name").asText(),
                        object.path("metadata").path("resourceVersion").asText()));
        ouro.inNode("find", OuroProgram.ASSETS, "-type", "f", "-printf", "%p %T@ %s\\n")
                .lines()
                .forEach(line -> all.put(line, ""));
        all.put("document", Files.readString(document));
        assertThat(all).hasSizeGreaterThan(50);
        return all;
    }
}
