package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * On objects of the shape that bootkube gives them: one binary for all components, labels of its own, a checkpointer beside, a scheduler and
 * a controller manager that use their ServiceAccount's token, and one kubeconfig in a ConfigMap.
 */
final class BootkubeRecoveryTest {
    private static final String ENDPOINT = "https://192.0.2.7:6443";

    private final Remains remains = new Remains();

    @BeforeEach
    void controlPlane() {
        remains.add(workload("DaemonSet", "kube-apiserver", "", """
                {"name": "kube-apiserver", "image": "example.com/hyperkube:v1.20.2",
                 "command": ["/hyperkube", "kube-apiserver", "--advertise-address=$(POD_IP)", "--etcd-servers=https://192.0.2.7:2379",
                   "--etcd-keyfile=/etc/kubernetes/secrets/etcd-client.key", "--client-ca-file=/etc/kubernetes/secrets/ca.crt",
                   "--service-cluster-ip-range=10.3.0.0/24"],
                 "env": [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
                 "volumeMounts": [{"name": "secrets", "mountPath": "/etc/kubernetes/secrets", "readOnly": true}]}
                """));
        remains.add(workload("Deployment", "kube-controller-manager", "kube-controller-manager", """
                {"name": "kube-controller-manager", "image": "example.com/hyperkube:v1.20.2",
                 "command": ["./hyperkube", "kube-controller-manager", "--use-service-account-credentials",
                   "--root-ca-file=/etc/kubernetes/secrets/ca.crt"],
                 "volumeMounts": [{"name": "secrets", "mountPath": "/etc/kubernetes/secrets", "readOnly": true}]}
                """));
        remains.add(workload("Deployment", "kube-scheduler", "", """
                {"name": "kube-scheduler", "image": "example.com/hyperkube:v1.20.2",
                 "command": ["./hyperkube", "kube-scheduler", "--leader-elect=true"]}
                """));
        remains.add(workload("DaemonSet", "pod-checkpointer", "pod-checkpointer", """
                {"name": "pod-checkpointer", "image": "example.com/pod-checkpointer:1",
                 "command": ["/checkpoint", "--lock-file=/var/run/lock/pod-checkpointer.lock", "--kubeconfig=/etc/checkpointer/kubeconfig"],
                 "volumeMounts": [{"name": "secrets", "mountPath": "/etc/checkpointer"}]}
                """));
        for (String name : List.of("kube-apiserver", "kube-controller-manager")) {
            remains.add(Remains.read("""
                    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s", "namespace": "kube-system"},
                     "data": {"ca.crt": "%s", "etcd-client.key": "%s"}}
                    """.formatted(name, Remains.base64("an authority"), Remains.base64("a key"))));
        }
        remains.add(Remains.read("""
                {"apiVersion": "v1", "kind": "ServiceAccount",
                 "metadata": {"name": "kube-controller-manager", "namespace": "kube-system"}}
                """));
    }

    private static Json.Fields workload(String kind, String name, String account, String container) {
        return Remains.read("""
                {"apiVersion": "apps/v1", "kind": "%1$s",
                 "metadata": {"name": "%2$s", "namespace": "kube-system", "labels": {"tier": "control-plane", "k8s-app": "%2$s"}},
                 "spec": {"template": {
                   "metadata": {"labels": {"tier": "control-plane", "k8s-app": "%2$s"},
                     "annotations": {"checkpointer.alpha.coreos.com/checkpoint": "true"}},
                   "spec": {"serviceAccountName": "%3$s", "hostNetwork": true,
                     "nodeSelector": {"node-role.kubernetes.io/master": ""},
                     "securityContext": {"runAsNonRoot": true, "runAsUser": 65534},
                     "containers": [%4$s],
                     "volumes": [%5$s]}}}}
                """.formatted(
                        kind,
                        name,
                        account,
                        container,
                        container.contains("volumeMounts")
                                ? "{\"name\": \"secrets\", \"secret\": {\"secretName\": \"" + name + "\"}}"
                                : ""));
    }

    private RecoveredCluster recover() {
        String kubeconfig = """
                apiVersion: v1
                kind: Config
                clusters:
                - name: it
                  cluster: {server: "%s", certificate-authority-data: %s}
                """.formatted(ENDPOINT, Remains.base64("an authority"));
        return new Recovery(InstantSource.system(), new SecureRandom())
                .of(
                        ClusterObjects.read(remains),
                        new RecoveryRequest(
                                Optional.of(kubeconfig), Optional.empty(), false, false, Map.of(), Map.of()));
    }

    private static String text(RecoveredCluster cluster, String path) {
        return cluster.files().stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .map(file -> new String(file.content().bytes(), StandardCharsets.UTF_8))
                .orElse("");
    }

    @Test
    void oneBinaryForAllComponentsIsCalledWithTheComponentsName() {
        RecoveredCluster cluster = recover();
        assertThat(text(cluster, AssetLayout.bootstrapManifest(Component.API_SERVER)))
                .contains("/hyperkube", "kube-apiserver", "--advertise-address=$(POD_IP)", "fieldPath: status.podIP")
                .doesNotContain("secretName");
        assertThat(text(cluster, "tls/recovered/kube-apiserver/secrets/etcd-client.key"))
                .isEqualTo("a key");
        assertThat(cluster.version()).contains("1.20.2");
    }

    @Test
    void whatUsedItsServiceAccountsTokenGetsTheAdministratorsKubeconfig() {
        RecoveredCluster cluster = recover();
        for (String path : List.of(
                AssetLayout.bootstrapManifest(Component.CONTROLLER_MANAGER),
                AssetLayout.bootstrapManifest(Component.SCHEDULER))) {
            assertThat(text(cluster, path))
                    .as(path)
                    .contains("--kubeconfig=/etc/kubernetes/recovered-access/kubeconfig")
                    .doesNotContain("serviceAccountName", "runAsUser", "nodeSelector");
        }
    }

    @Test
    void theCheckpointerIsNoPartOfTheControlPlane() {
        assertThat(recover().files()).noneMatch(file -> file.path().contains("checkpointer"));
    }

    @Test
    void templatesAndAccountsAreGivenBackAsTheyWere() {
        RecoveredCluster cluster = recover();
        assertThat(text(cluster, "manifests/daemonset-kube-system-kube-apiserver.yaml"))
                .contains("tier: control-plane", "node-role.kubernetes.io/master", "checkpointer.alpha.coreos.com");
        assertThat(cluster.files()).anyMatch(file -> file.path().startsWith("manifests/serviceaccount"));
    }
}
