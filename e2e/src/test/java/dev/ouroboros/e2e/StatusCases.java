package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code ouro status}, {@code ouro explain} and {@code ouro doctor} with the API up, with the API away, with a wrong kubeconfig and with no cluster. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class StatusCases {
    private static final String ETCD = "/etc/kubernetes/manifests/etcd.yaml";
    private static final String ETCD_AWAY = "/var/lib/ouroboros/etcd.yaml.away";
    private static final List<String> COMPONENTS = List.of(
            "kubelet",
            "etcd",
            "kube-apiserver",
            "kube-controller-manager",
            "kube-proxy",
            "kube-scheduler",
            "ouroboros-dns",
            "ouroboros-keeper",
            "ouroboros-steward");

    private final OuroProgram ouro;

    @TempDir
    private Path directory = Path.of(".");

    /** @param ouro of a cluster that is at rest before each test, whatever the one before has left */
    StatusCases(OuroProgram ouro) {
        this.ouro = ouro;
    }

    @Test
    void theDoctorFindsNothingWrongWithAClusterThatIsWell() throws IOException {
        JsonNode findings = examined();
        // What a machine for tests is, its owner knows.
        Set<String> ofTheMachine = Set.of("cgroups", "swap", "clock", "memory", "disk latency", "room");
        assertThat(wrong(findings)).as(findings.toPrettyString()).allMatch(ofTheMachine::contains);
        for (String check : List.of(
                "nftables",
                "path",
                "mtu",
                "api",
                "components",
                "checkpoints",
                "images",
                "certificates",
                "clocks",
                "etcd quota",
                "etcd alarms",
                "nodes",
                "skew")) {
            assertThat(severity(findings, check)).as(check).containsExactly("ok");
        }
    }

    /** On the understudy's port, which nothing listens on now: nobody would notice before it is needed. */
    @Test
    void theDoctorFindsAFirewallOnThePath() throws IOException {
        ouro.inNode("nft", "add", "table", "inet", "wall");
        try {
            ouro.inNode("nft", "add chain inet wall input { type filter hook input priority 0 ; }");
            ouro.inNode("nft", "add rule inet wall input iif != lo tcp dport 26443 drop");
            Result table = ouro.run("doctor");
            assertThat(table.exitCode()).as(table.error()).isEqualTo(3);
            assertThat(table.output()).contains("do: let TCP port 26443 through this node's firewall");
            assertThat(severity(examined(), "path")).containsExactly("problem");
        } finally {
            ouro.inNode("nft", "delete", "table", "inet", "wall");
        }
    }

    private JsonNode examined() throws IOException {
        Result result = ouro.run("doctor", "-o", "json");
        assertThat(result.exitCode()).as(result.error()).isIn(0, 3);
        JsonNode findings = new ObjectMapper().readTree(result.output());
        assertThat(result.exitCode()).isEqualTo(wrong(findings).isEmpty() ? 0 : 3);
        return findings;
    }

    private static List<String> wrong(JsonNode findings) {
        return StreamSupport.stream(findings.spliterator(), false)
                .filter(finding -> Set.of("warning", "problem")
                        .contains(finding.path("severity").asText()))
                .map(finding -> finding.path("check").asText())
                .toList();
    }

    private static List<String> severity(JsonNode findings, String check) {
        return StreamSupport.stream(findings.spliterator(), false)
                .filter(finding -> finding.path("check").asText().equals(check))
                .map(finding -> finding.path("severity").asText())
                .toList();
    }

    @Test
    void showsEveryLayerOfAClusterThatIsWell() throws IOException {
        JsonNode report = ouro.json("status");
        assertThat(report.path("convergence").path("state").asText()).isEqualTo("converged");
        assertThat(report.path("remarks")).isEmpty();
        assertThat(names(report)).isEqualTo(COMPONENTS);
        assertThat(texts(report, "owner"))
                .containsExactly(
                        "process",
                        "static pod",
                        "DaemonSet",
                        "Deployment",
                        "DaemonSet",
                        "Deployment",
                        "Deployment",
                        "DaemonSet",
                        "DaemonSet");
        assertThat(texts(report, "layer")).containsExactly("0", "1", "2", "3", "3", "3", "4", "4", "4");
        assertThat(texts(report, "selfHosted"))
                .containsExactly("true", "false", "true", "true", "true", "true", "true", "true", "true");
        for (JsonNode component : report.path("components")) {
            assertThat(component.path("nodes"))
                    .singleElement()
                    .extracting(JsonNode::asText)
                    .isEqualTo(ouro.nodeName());
            assertThat(component.path("version").asText()).as("%s", component).matches("\\d+\\.\\d+\\.\\d+.*");
            assertThat(component.path("health").path("grade").asText()).isEqualTo("good");
            assertThat(component.path("certificates").size())
                    .as("%s", component)
                    .isPositive();
            for (JsonNode certificate : component.path("certificates")) {
                assertThat(Instant.parse(certificate.path("notAfter").asText())).isAfter(Instant.now());
            }
        }
        for (String name : List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "ouroboros-keeper")) {
            assertThat(component(report, name)
                            .path("checkpoint")
                            .path("lastGood")
                            .path("revision")
                            .asText())
                    .as(name)
                    .matches("[0-9a-f]{64}");
        }
    }

    /** As many network add-ons are; what people run for themselves is not the cluster's. */
    @Test
    @Tag("long")
    void showsAnAddOnThatHasANamespaceOfItsOwnAndNoWorkload() throws IOException {
        ouro.kubectl("create", "namespace", "networking");
        try {
            Files.writeString(ouro.nodeFile("/tmp/add-on.yaml"), """
                    apiVersion: apps/v1
                    kind: DaemonSet
                    metadata: {name: flannel, namespace: networking}
                    spec:
                      selector: {matchLabels: {app: flannel}}
                      template:
                        metadata: {labels: {app: flannel}}
                        spec:
                          priorityClassName: system-node-critical
                          terminationGracePeriodSeconds: 1
                          containers:
                          - name: flannel
                            image: IMAGE
                            command: [/usr/bin/flock, --no-fork, /hold/lock, /usr/bin/flock, /hold/lock, one]
                            volumeMounts: [{name: hold, mountPath: /hold}]
                          volumes: [{name: hold, emptyDir: {}}]
                    """.replace("IMAGE", ControlPlane.keeperImage(ouro)));
            ouro.kubectl("apply", "-f", "/tmp/add-on.yaml");
            ouro.kubectl("-n", "networking", "create", "deployment", "shop", "--image=localhost/none:v9");
            ouro.awaitConvergence();

            JsonNode report = ouro.json("status");
            assertThat(names(report)).contains("flannel").doesNotContain("shop");
            JsonNode flannel = component(report, "flannel");
            assertThat(flannel.path("namespace").asText()).isEqualTo("networking");
            assertThat(flannel.path("layer").asInt()).isEqualTo(4);
            assertThat(flannel.path("owner").asText()).isEqualTo("DaemonSet");
            assertThat(flannel.path("nodes").path(0).asText()).isEqualTo(ouro.nodeName());
            assertThat(flannel.path("health").path("text").asText()).isEqualTo("ready");
        } finally {
            ouro.kubectl("delete", "namespace", "networking");
        }
    }

    /** The kubeconfig alone, as on a machine from which the node's disk cannot be seen. */
    @Test
    @Tag("long")
    void showsTheNodesCheckpointsFromElsewhereAsItsKeeperSaysOnTheNode() throws Exception {
        String onDisk = revision(ouro.json("status"), "kube-apiserver");
        assertThat(onDisk).matches("[0-9a-f]{64}");
        Await.until(
                "the Node says what is on the disk",
                () -> ouro.kubectl("get", "node", ouro.nodeName(), "-o", "json"),
                () -> told().path("components")
                        .path("kube-system/kube-apiserver")
                        .path("lastGood")
                        .path("revision")
                        .asText()
                        .equals(onDisk));

        JsonNode elsewhere =
                ouro.jsonPlain("status", "--kubeconfig", ouro.kubeconfig().toString(), "-o", "json");
        for (String name : List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "ouroboros-keeper")) {
            JsonNode checkpoints = component(elsewhere, name).path("checkpoints");
            assertThat(checkpoints).as(name).hasSize(1);
            assertThat(checkpoints.path(0).path("node").asText()).isEqualTo(ouro.nodeName());
            assertThat(checkpoints.path(0).path("doubt").asText()).as(name).isEmpty();
            assertThat(revision(elsewhere, name)).as(name).isEqualTo(revision(ouro.json("status"), name));
            assertThat(Instant.parse(
                            checkpoints.path(0).path("lastGood").path("savedAt").asText()))
                    .as(name)
                    .isBeforeOrEqualTo(
                            Instant.parse(checkpoints.path(0).path("toldAt").asText()));
        }

        Result table = ouro.runPlain("status", "--kubeconfig", ouro.kubeconfig().toString());
        assertThat(table.output())
                .containsPattern(
                        "2 +kube-apiserver +DaemonSet +" + ouro.nodeName() + " +\\S+ +ready +last-good \\d+[smhd]");
    }

    /** What its keeper says on the Node; absent when it says nothing. */
    private JsonNode told() throws IOException {
        JsonNode node = new ObjectMapper().readTree(ouro.kubectl("get", "node", ouro.nodeName(), "-o", "json"));
        return new ObjectMapper()
                .readTree(node.path("metadata")
                        .path("annotations")
                        .path("ouroboros.dev/checkpoints")
                        .asText("{}"));
    }

    private static String revision(JsonNode report, String name) {
        return component(report, name)
                .path("checkpoint")
                .path("lastGood")
                .path("revision")
                .asText();
    }

    /** Two looks are of two moments: on a busy machine a component may be doubted in one of them, for a second. */
    @Test
    void showsTheSameInsideTheNode() throws Exception {
        List<Shown> last = new ArrayList<>();
        Await.until("status says the same inside the node and outside", last::toString, () -> {
            Shown inside = Shown.of(new ObjectMapper().readTree(ouro.inNode("ouro", "status", "-o", "json")));
            Shown outside = Shown.of(ouro.json("status"));
            last.clear();
            last.addAll(List.of(inside, outside));
            return inside.equals(outside);
        });
    }

    /** What a status says of the cluster that does not depend on the moment. */
    private record Shown(
            List<String> names, List<String> owners, List<String> versions, List<String> layers, String convergence) {
        static Shown of(JsonNode status) {
            return new Shown(
                    texts(status, "name"),
                    texts(status, "owner"),
                    texts(status, "version"),
                    texts(status, "layer"),
                    status.path("convergence").toString());
        }
    }

    @Test
    @Tag("long")
    void watchPrintsNothingMoreInAPipeWhileNothingChanges() {
        List<String> command = new ArrayList<>(List.of("timeout", "-s", "INT", "8"));
        command.addAll(ouro.command("status", "--watch"));
        Result result = ouro.run(command, Duration.ofMinutes(1));
        assertThat(result.output().lines().filter(line -> line.startsWith("LAYER")))
                .hasSize(1);
        assertThat(result.output()).contains("self-hosted: layers 0, 2-4").doesNotContain("\u001b");
    }

    @Test
    void explainTellsWhatTheKeeperDidAndWhy() {
        Result result = ouro.run("explain", "kube-apiserver");
        assertThat(result.exitCode()).as(result.error()).isZero();
        assertThat(result.output())
                .startsWith("kube-system/kube-apiserver: the principal serves, for ")
                .contains("next       nothing to do")
                .contains("promote, revision ")
                .contains("because   the pod has been healthy for the soak time")
                .contains("evidence  pod ");

        Result unknown = ouro.run("explain", "kube-nothing");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.error())
                .contains("the keeper keeps no 'kube-nothing'")
                .contains("kube-system/kube-scheduler");
    }

    /** Without etcd an API server answers nothing that is worth an answer; the node does. */
    @Test
    @Order(Integer.MAX_VALUE) // The cluster needs minutes to be at rest again, which nobody waits for then.
    void tellsFromTheNodeWhereThingsStandWhenTheApiIsAway() throws IOException {
        ouro.inNode("mv", ETCD, ETCD_AWAY);
        try {
            // Missing when the kubelet has already removed its container: it does so once a minute.
            JsonNode report = await("etcd", Set.of("stopped", "missing"));
            assertThat(report.path("sources").path(0).path("unknown").asText()).isNotEmpty();
            assertThat(report.path("sources").path(1).path("answer").asText()).contains("node " + ouro.nodeName());
            assertThat(names(report)).isEqualTo(COMPONENTS);
            assertThat(component(report, "etcd").path("owner").asText()).isEqualTo("static pod");
            assertThat(component(report, "kube-apiserver").path("owner").asText())
                    .isEqualTo("API pod");
            assertThat(component(report, "kube-apiserver").path("version").asText())
                    .isEqualTo(component(report, "kube-proxy").path("version").asText());
            assertThat(component(report, "kube-apiserver")
                            .path("health")
                            .path("grade")
                            .asText())
                    .isEqualTo("bad");
            assertThat(component(report, "kube-apiserver")
                            .path("checkpoint")
                            .path("lastGood")
                            .path("revision")
                            .asText())
                    .matches("[0-9a-f]{64}");
            assertThat(component(report, "kube-apiserver").path("certificates").size())
                    .isPositive();

            Result explained = ouro.run("explain", "kube-apiserver");
            assertThat(explained.output()).contains("(etcd failed)").contains("next       nothing: without etcd");

            Result waited = ouro.run("status", "--wait=1s");
            assertThat(waited.exitCode()).isEqualTo(1);
            assertThat(waited.error()).contains("error TIMEOUT").contains("the API server: ");
        } finally {
            ouro.inNode("mv", ETCD_AWAY, ETCD);
        }
    }

    @Test
    void waitNamesWhatANewPodLacksAndTheOldOneGoesOn() throws IOException {
        ouro.kubectl(
                "-n", "kube-system", "set", "image", "deployment/kube-scheduler", "kube-scheduler=localhost/none:v9");
        try {
            Result waited = ouro.run("status", "--wait=30s");
            assertThat(waited.exitCode()).isEqualTo(1);
            assertThat(waited.error())
                    .contains("kube-system/kube-scheduler: a new pod is not ready (")
                    .containsPattern("ErrImagePull|ImagePullBackOff|ErrImageNeverPull");
            JsonNode scheduler = component(ouro.json("status"), "kube-scheduler");
            assertThat(scheduler.path("health").path("text").asText()).isEqualTo("rolling out");
        } finally {
            ouro.kubectl("-n", "kube-system", "rollout", "undo", "deployment/kube-scheduler");
        }
    }

    @Test
    void saysWhatIsWrongWithAKubeconfig() throws IOException {
        Result missing = ouro.runPlain("status", "--kubeconfig", "/nonexistent");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.output()).isEmpty();
        assertThat(missing.error()).contains("kubeconfig /nonexistent: no such file");

        String good = Files.readString(ouro.kubeconfig());
        Path anonymous = Files.writeString(
                directory.resolve("anonymous"), good.replaceAll("client-(certificate|key)-data: .*", ""));
        Result refused = ouro.runPlain("status", "--kubeconfig", anonymous.toString());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.error()).contains("forbidden").contains("check that the kubeconfig is this cluster's");

        Path silent = Files.writeString(directory.resolve("silent"), good.replaceAll(":6443", ":1"));
        Result unanswered = ouro.runPlain("status", "--kubeconfig", silent.toString());
        assertThat(unanswered.exitCode()).isEqualTo(1);
        assertThat(unanswered.error()).contains(":1: connection refused");
    }

    @Test
    void aWrongKubeconfigHidesNothingOfTheNode() {
        String report = ouro.inNode("ouro", "status", "--kubeconfig", "/nonexistent");
        assertThat(report)
                .startsWith("API server   unknown: kubeconfig /nonexistent: no such file")
                .containsPattern("2 +kube-apiserver +API pod +" + ouro.nodeName() + " +\\S+ +serving +last-good");
    }

    @Test
    void thereIsNoSuchCluster() {
        Result none = ouro.runPlain("status", "--name", "none");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.error()).contains("there is no sandbox 'none'");
    }

    private JsonNode await(String component, Set<String> healths) throws IOException {
        Instant deadline = Instant.now().plus(Duration.ofMinutes(1));
        while (true) {
            JsonNode report = ouro.json("status");
            if (healths.contains(component(report, component)
                            .path("health")
                            .path("text")
                            .asText())
                    && component(report, "kube-apiserver")
                            .path("health")
                            .path("grade")
                            .asText()
                            .equals("bad")) {
                return report;
            }
            assertThat(Instant.now()).as("%s", report).isBefore(deadline);
        }
    }

    private static JsonNode component(JsonNode report, String name) {
        return components(report)
                .filter(component -> component.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> names(JsonNode report) {
        return texts(report, "name");
    }

    private static List<String> texts(JsonNode report, String field) {
        return components(report)
                .map(component -> component.path(field).asText())
                .toList();
    }

    private static Stream<JsonNode> components(JsonNode report) {
        return StreamSupport.stream(report.path("components").spliterator(), false);
    }
}
