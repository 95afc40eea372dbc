package dev.ouroboros.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.ProbeReport;
import dev.ouroboros.render.manifest.ManifestSet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** The way a person goes with one sandbox: up, look, use, down. Alone, because its clients begin while an API server begins. */
@Tag("e2e")
@Tag("alone")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class UpE2eTest {
    private static final String NAME = "e2e-up";
    private static final Path SANDBOX = Path.of("/var/lib/ouroboros/sandboxes", NAME);

    private final OuroProgram ouro = new OuroProgram(NAME);

    @BeforeAll
    void nothingIsLeftOfAnEarlierRun() {
        ouro.down();
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(0)
    void whoInterruptsUpHearsHowToGoOn() throws Exception {
        // A shell lets what it starts in the background ignore the signal, and a JVM leaves it so.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(ouro.upCommand());
        Process up = new ProcessBuilder(command).start();
        StringBuilder said = new StringBuilder();
        try (BufferedReader lines = up.errorReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (line.endsWith("loading images and starting etcd")) {
                    new ProcessBuilder("kill", "-INT", Long.toString(up.pid()))
                            .start()
                            .waitFor();
                }
            }
        }
        assertThat(up.waitFor()).isEqualTo(130);
        assertThat(said)
                .contains("interrupted while loading images and starting etcd. What was made stays")
                .contains("'" + OuroProgram.CHECKOUT.resolve("ouro") + " down --name " + NAME + "' removes it");
    }

    @Test
    @Order(1)
    void upPivotsWithoutAFailedRequest() throws Exception {
        try (Availability availability = Availability.from(SANDBOX.resolve("kubeconfig"))) {
            ouro.up();
            ProbeReport report = availability.requireNoFailedRequest();
            assertThat(report.client(ClientRow.NEW).orElseThrow().requests())
                    .as("five a second")
                    .isGreaterThan(25);
        }
    }

    @Test
    @Order(2)
    void everyControlPlanePodIsReadyAndBelongsToAController() throws IOException {
        JsonNode pods = ouro.kubectlJson("get", "pods", "-n", "kube-system");
        List<String> controlPlane = new ArrayList<>();
        for (JsonNode pod : pods.path("items")) {
            String name = pod.path("metadata").path("name").asText();
            // Static pods: etcd, and the keeper's copy of itself. The steward begins when all of this has, and nothing
            // waits for it.
            if (name.startsWith("etcd-")
                    || name.equals("ouroboros-keeper-" + NAME)
                    || name.startsWith("ouroboros-steward-")) {
                continue;
            }
            String owner = pod.path("metadata")
                    .path("ownerReferences")
                    .path(0)
                    .path("kind")
                    .asText();
            assertThat(owner).as(name).isIn("DaemonSet", "ReplicaSet");
            assertThat(pod.path("status").path("phase").asText()).as(name).isEqualTo("Running");
            for (JsonNode container : pod.path("status").path("containerStatuses")) {
                assertThat(container.path("ready").asBoolean()).as(name).isTrue();
            }
            controlPlane.add(name);
        }
        assertThat(String.join(" ", controlPlane))
                .contains("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy");
    }

    @Test
    @Order(3)
    void noStaticManifestIsLeftButEtcdsAndTheKeepersCopy() {
        String files = ouro.inNode("ls", "/etc/kubernetes/manifests");
        assertThat(files.strip()).contains("etcd", "ouroboros-keeper.json").hasLineCount(2);
        String secrets = ouro.inNode("sh", "-c", "ls /etc/kubernetes/bootstrap-secrets 2>/dev/null | wc -l");
        assertThat(secrets.strip()).isEqualTo("0");
    }

    @Test
    @Order(4)
    void upOnAClusterThatIsUpSaysSoAndSucceeds() throws IOException {
        Result result = ouro.run("up");
        assertThat(result.exitCode()).isZero();
        assertThat(result.error()).containsIgnoringCase("is up");
        assertThat(ouro.json("up").path("outcome").asText()).isEqualTo("was-up");
    }

    /** A snapshot brings a cluster back; it replaces none. */
    @Test
    @Order(4)
    void aSnapshotForAClusterThatIsThereIsRefused() {
        Result result = ouro.run("up", "--snapshot", "/etc/hostname");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.error()).contains("--snapshot: sandbox " + NAME + " has a cluster already");
    }

    @Test
    @Order(5)
    void theApiIsReachableFromTheHost() {
        Path kubeconfig = ouro.kubeconfig();
        Result probe = ouro.runPlain("probe", "--kubeconfig", kubeconfig.toString(), "--duration", "2s");
        assertThat(probe.exitCode()).as(probe.output()).isZero();
    }

    /** Built with a Go that its reflect2 does not fit, an API server ends at such a request, sooner or later. */
    @Test
    @Order(5)
    void requestsWithMapsInThemAreAnswered() throws Exception {
        JsonNode review = new ObjectMapper().readTree("""
                {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
                  "user": "somebody", "groups": ["some"], "extra": {"one": ["1"], "two": ["2", "3"]},
                  "nonResourceAttributes": {"path": "/healthz", "verb": "get"}}}
                """);
        try (AdminApi api = new AdminApi(ouro.kubeconfig())) {
            for (int request = 0; request < 200; request++) {
                assertThat(api.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review))
                        .as("request %d: %s", request, api.refusal())
                        .isTrue();
            }
        }
    }

    @Test
    @Order(6)
    void theKubernetesServiceLeadsToTheApiFromAPodsNetwork() throws IOException {
        JsonNode pods = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=kube-scheduler");
        assertThat(inPod(
                        pods.path("items").path(0),
                        "kubectl --server https://" + serviceAddress() + " get --raw /version"))
                .contains("gitVersion");
    }

    /** By the resolver of the C library, with the search path and the nameserver that the kubelet gives to a pod. */
    @Test
    @Order(7)
    void aPodResolvesNamesOfServicesAndOfOtherPods() throws Exception {
        String image = ouro.inNode("sh", "-c", "ctr -n k8s.io images ls -q | grep -m 1 ^localhost/ouroboros/pause:")
                .strip();
        ouro.kubectl("run", "resolver", "--restart=Never", "--image=" + image);
        ouro.kubectl("wait", "--for=condition=ready", "--timeout=90s", "pod/resolver");
        ouro.kubectl("rollout", "status", "--timeout=90s", "-n", "kube-system", "deployment/ouroboros-dns");
        JsonNode pod = ouro.kubectlJson("get", "pod", "resolver");
        String service = serviceAddress();

        assertThat(inPod(pod, "getent ahostsv4 kubernetes.default")).startsWith(service + " ");
        assertThat(inPod(pod, "getent hosts " + service)).contains("kubernetes.default.svc.cluster.local");
        assertThat(inPod(pod, "getent hosts nothing.default || echo nothing")).isEqualTo("nothing");

        String musl = resolverOfMusl();
        assertThat(inPod(pod, musl + " kubernetes.default"))
                .isEqualTo(service + " kubernetes.default.svc.cluster.local");
        assertThat(inPod(pod, musl + " nothing.default || echo nothing")).isEqualTo("nothing");

        ouro.kubectl(
                "expose",
                "deployment",
                "ouroboros-dns",
                "-n",
                "kube-system",
                "--name=names",
                "--cluster-ip=None",
                "--port=53");
        String address = ouro.kubectl(
                        "get",
                        "pods",
                        "-n",
                        "kube-system",
                        "-l",
                        "k8s-app=kube-dns",
                        "-o",
                        "jsonpath={.items[0].status.podIP}")
                .strip();
        Await.until(
                "a headless Service's name is its pod's address",
                () -> inPod(pod, "getent ahostsv4 names.kube-system || true").startsWith(address + " "));
        ouro.kubectl("delete", "service", "names", "-n", "kube-system");
        ouro.kubectl("delete", "pod", "resolver");
    }

    /** A program that resolves its argument with musl, linked into it; its path in the node. */
    private String resolverOfMusl() throws IOException {
        Path source = ouro.nodeFile("/tmp/resolve.c");
        try (InputStream text = requireNonNull(UpE2eTest.class.getResourceAsStream("resolve.c"), "resolve.c")) {
            Files.write(source, text.readAllBytes());
        }
        String program = "/run/resolve";
        ouro.run(
                        List.of(
                                "musl-gcc",
                                "-static",
                                "-o",
                                ouro.nodeFile(program).toString(),
                                source.toString()),
                        Duration.ofMinutes(1))
                .orThrow();
        return program;
    }

    private String serviceAddress() {
        return ouro.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
                .strip();
    }

    /** A shell's command in the network of a pod, with the pod's resolv.conf: its image need not have a shell. */
    private String inPod(JsonNode pod, String command) {
        String id = pod.path("status")
                .path("containerStatuses")
                .path(0)
                .path("containerID")
                .asText()
                .replaceFirst("containerd://", "");
        // What is mounted in the pod's mount namespace cannot be mounted in another one: it is copied.
        return ouro.inNode(
                        "sh",
                        "-c",
                        "pid=$(ctr -n k8s.io tasks ls | awk '$1 == \"" + id + "\" {print $2}')"
                                + " && cat /proc/$pid/root/etc/resolv.conf >/run/pod-resolv.conf"
                                + " && nsenter --net=/proc/$pid/ns/net unshare --mount sh -c"
                                + " 'mount --bind /run/pod-resolv.conf /etc/resolv.conf && { " + command + "; }'")
                .strip();
    }

    @Test
    @Order(8)
    void aWorkloadRunsAndItsLogsAreRead() throws IOException {
        String image = ouro.kubectl(
                        "get",
                        "deployment",
                        "kube-scheduler",
                        "-n",
                        "kube-system",
                        "-o",
                        "jsonpath={.spec.template.spec.containers[0].image}")
                .strip();
        ouro.kubectl("create", "job", "hello", "--image=" + image, "--", "kube-scheduler", "--version");
        ouro.kubectl("wait", "--for=condition=complete", "--timeout=90s", "job/hello");
        assertThat(ouro.kubectl("logs", "job/hello")).contains("Kubernetes v");
        assertThat(ouro.kubectl("delete", "job", "hello")).contains("deleted");
    }

    @Test
    @Order(9)
    void secretsAreEncryptedInEtcd() {
        ouro.kubectl("create", "secret", "generic", "canary", "--from-literal=password=very-plain-text");
        String stored = ouro.inNode(
                "sh",
                "-c",
                "ETCDCTL_API=3 etcdctl --endpoints=https://127.0.0.1:2379"
                        + " --cacert=/var/lib/ouroboros/assets/tls/etcd-client-ca.crt"
                        + " --cert=/var/lib/ouroboros/assets/tls/etcd-client.crt --key=/var/lib/ouroboros/assets/tls/etcd-client.key"
                        + " get /registry/secrets/default/canary --print-value-only | head -c 40 | tr -c 'a-z0-9:' .");
        assertThat(stored).startsWith("k8s:enc:");
    }

    @Test
    @Order(10)
    void anonymousClientsSeeHealthAndNothingElse() {
        String server = ouro.kubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}")
                .strip();
        String health = ouro.inNode("curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", server + "/readyz");
        String pods = ouro.inNode("curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", server + "/api/v1/pods");
        assertThat(health).isEqualTo("200");
        assertThat(pods).isIn("401", "403");
    }

    @Test
    @Order(11)
    void theTokenWithWhichKubeletsJoinEndsWithinADay() {
        String encoded = ouro.kubectl(
                "get",
                "secrets",
                "-n",
                "kube-system",
                "--field-selector",
                "type=bootstrap.kubernetes.io/token",
                "-o",
                "jsonpath={.items[*].data.expiration}");
        Instant end = Instant.parse(new String(Base64.getDecoder().decode(encoded.strip()), StandardCharsets.UTF_8));
        assertThat(end).isBetween(Instant.now(), Instant.now().plus(Duration.ofDays(1)));
    }

    /** What people change stays, however often start is run; what a recovery changes is what they lost. */
    @Test
    @Order(12)
    void anObjectThatOthersHaveChangedIsTheirsUnlessARecoveryMadeIt() {
        ManifestSet manifests = ManifestSet.parse(Map.of("applied.yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: applied, namespace: default}
                data: {by: start}
                """));
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(ouro.kubeconfig(), Optional.empty()))) {
            new Applier(client).apply(manifests.json(), _ -> {});
            ouro.kubectl("patch", "configmap", "applied", "--type=merge", "-p", "{\"data\":{\"by\":\"people\"}}");
            new Applier(client).apply(manifests.json(), _ -> {});
            assertThat(applied()).isEqualTo("people");
            new Applier(client, Set.of("ConfigMap default/applied")).apply(manifests.json(), _ -> {});
            assertThat(applied()).isEqualTo("start");
        }
    }

    private String applied() {
        return ouro.kubectl("get", "configmap", "applied", "-o", "jsonpath={.data.by}")
                .strip();
    }

    /** The node's own traffic would ask the proxy, too, if it knew of it: for the API server, for a start. */
    @Test
    @Order(13)
    void aProxyIsContainerdsAlone() throws Exception {
        String host = ouro.kubectl("get", "nodes", "-o", "jsonpath={.items[0].status.addresses[0].address}")
                .strip()
                .replaceFirst("\\.[0-9]+$", ".1");
        try (RefusingProxy proxy = new RefusingProxy(host)) {
            List<String> command = new ArrayList<>(List.of("env", "HTTPS_PROXY=" + proxy.address()));
            command.addAll(ouro.command("up"));
            Result up = ouro.run(command, Duration.ofMinutes(2));
            assertThat(up.exitCode()).as(up.error()).isZero();
            assertThat(up.error()).contains("containerd pulls images in the way that was asked for");

            ouro.kubectl("create", "job", "far", "--image=registry.example/app:1");
            Await.until(
                    "the image was asked for through the proxy",
                    () -> !proxy.asked().isEmpty());
            ouro.kubectl("delete", "job", "far");

            assertThat(proxy.asked()).allMatch("CONNECT registry.example:443 HTTP/1.1"::equals);
        }
        assertThat(ouro.inNode(
                                "sh",
                                "-c",
                                "tr '\\0' '\\n' </proc/$(pidof kubelet)/environ | grep -i _proxy= || echo none")
                        .strip())
                .isEqualTo("none");
    }

    @Test
    @Order(14)
    void etcdctlAndKubectlAreSetUpInEveryShell() {
        ouro.inNode("etcdctl", "endpoint", "health");
        ouro.inNode("bash", "-lc", "etcdctl member list && kubectl get nodes");
    }

    @Test
    @Tag("long")
    @Order(15)
    void aFullDiskIsNamedAndTheClusterGoesOnWhenThereIsRoom() throws Exception {
        Result fill = ouro.run("exec", NAME, "--", "sh", "-c", "fallocate -l 80G /fill || { sync; exit 1; }");
        assertThat(fill.error()).contains("No space left on device");
        assertThat(ouro.run("doctor").output()).contains("disk space: ").contains(Ailment.DISK_IS_FULL.consequence());

        ouro.inNode("rm", "/fill");
        Await.until(
                "the API takes writes again",
                () -> ouro.run("exec", NAME, "--", "kubectl", "create", "namespace", "room")
                                .exitCode()
                        == 0);
        assertThat(ouro.run("doctor").output()).doesNotContain(Ailment.DISK_IS_FULL.consequence());
    }

    @Test
    @Order(16)
    void downLeavesNothing() throws IOException {
        JsonNode removed = ouro.json("down").path("sandboxes").path(0);
        assertThat(removed.path("sandbox").asText()).isEqualTo(NAME);
        assertThat(removed.path("removed")).isNotEmpty();
        assertThat(removed.path("left")).isEmpty();
        assertThat(SANDBOX).doesNotExist();
        Result again = ouro.run("down");
        assertThat(again.exitCode()).isZero();
    }
}
