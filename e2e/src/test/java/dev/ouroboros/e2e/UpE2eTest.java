package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.cluster.Applier;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ManifestSet;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.ProbeReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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

    private final Ouro ouro = new Ouro(NAME);

    @BeforeAll
    void nothingIsLeftOfAnEarlierRun() {
        ouro.down();
    }

    @AfterAll
    void down() {
        ouro.down();
    }

    @Test
    @Order(1)
    void upPivotsWithoutAFailedRequest() throws Exception {
        try (Availability availability = Availability.from(SANDBOX.resolve("kubeconfig"))) {
            ouro.up();
            ProbeReport report = availability.requireNoFailedRequest();
            assertThat(report.client(ClientRow.NEW).orElseThrow().requests()).isGreaterThan(100);
        }
    }

    @Test
    @Order(2)
    void everyControlPlanePodIsReadyAndBelongsToAController() throws IOException {
        JsonNode pods = ouro.kubectlJson("get", "pods", "-n", "kube-system");
        List<String> controlPlane = new ArrayList<>();
        for (JsonNode pod : pods.path("items")) {
            String name = pod.path("metadata").path("name").asText();
            // Static pods: etcd, and the keeper's copy of itself.
            if (name.startsWith("etcd-") || name.equals("ouroboros-keeper-" + NAME)) {
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
    void upOnAClusterThatIsUpSaysSoAndSucceeds() {
        Result result = ouro.run("up");
        assertThat(result.exitCode()).isZero();
        assertThat(result.error()).containsIgnoringCase("is up");
    }

    @Test
    @Order(5)
    void theApiIsReachableFromTheHost() {
        Path kubeconfig = ouro.kubeconfig();
        Result probe = ouro.runPlain("probe", "--kubeconfig", kubeconfig.toString(), "--duration", "2s");
        assertThat(probe.exitCode()).as(probe.output()).isZero();
    }

    @Test
    @Order(6)
    void theKubernetesServiceLeadsToTheApiFromAPodsNetwork() throws IOException {
        JsonNode pods = ouro.kubectlJson("get", "pods", "-n", "kube-system", "-l", "k8s-app=kube-scheduler");
        String id = pods.path("items")
                .path(0)
                .path("status")
                .path("containerStatuses")
                .path(0)
                .path("containerID")
                .asText()
                .replaceFirst("containerd://", "");
        String service = ouro.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
                .strip();
        String version = ouro.inNode(
                "sh",
                "-c",
                "pid=$(ctr -n k8s.io tasks ls | awk '$1 == \"" + id + "\" {print $2}')"
                        + " && nsenter --net=/proc/$pid/ns/net kubectl --server https://" + service
                        + " get --raw /version");
        assertThat(version).contains("gitVersion");
    }

    @Test
    @Order(7)
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
    @Order(8)
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
    @Order(9)
    void anonymousClientsSeeHealthAndNothingElse() {
        String server = ouro.kubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}")
                .strip();
        String health = ouro.inNode("curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", server + "/readyz");
        String pods = ouro.inNode("curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", server + "/api/v1/pods");
        assertThat(health).isEqualTo("200");
        assertThat(pods).isIn("401", "403");
    }

    @Test
    @Order(10)
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
    @Order(11)
    void anObjectThatOthersHaveChangedIsTheirsUnlessARecoveryMadeIt() {
        ManifestSet manifests = ManifestSet.parse(Map.of("applied.yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: applied, namespace: default}
                data: {by: start}
                """));
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(ouro.kubeconfig(), Optional.empty()))) {
            new Applier(client).apply(manifests, _ -> {});
            ouro.kubectl("patch", "configmap", "applied", "--type=merge", "-p", "{\"data\":{\"by\":\"people\"}}");
            new Applier(client).apply(manifests, _ -> {});
            assertThat(applied()).isEqualTo("people");
            new Applier(client, Set.of("ConfigMap default/applied")).apply(manifests, _ -> {});
            assertThat(applied()).isEqualTo("start");
        }
    }

    private String applied() {
        return ouro.kubectl("get", "configmap", "applied", "-o", "jsonpath={.data.by}")
                .strip();
    }

    @Test
    @Order(12)
    void downLeavesNothing() {
        Result result = ouro.run("down");
        assertThat(result.exitCode()).as(result.error()).isZero();
        assertThat(result.error()).contains("nothing is left");
        assertThat(SANDBOX).doesNotExist();
        Result again = ouro.run("down");
        assertThat(again.exitCode()).isZero();
    }
}
