package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.recovery.NodeComparison.OnNode;
import dev.ouroboros.render.pki.Pem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** On objects made for it: layouts that no snapshot at hand has. */
final class RecoveryTest {
    private static final RecoveryRequest NEW_KEYS =
            new RecoveryRequest(Optional.of(kubeconfig()), Optional.empty(), true, true, Map.of(), Map.of());
    private static final RecoveryRequest PLAIN =
            new RecoveryRequest(Optional.of(kubeconfig()), Optional.empty(), false, false, Map.of(), Map.of());

    private final Remains remains = new Remains();

    private RecoveredCluster recover(RecoveryRequest request) {
        return new Recovery(InstantSource.system(), new SecureRandom()).of(ClusterObjects.read(remains), request);
    }

    private static String text(RecoveredCluster cluster, String path) {
        return cluster.files().stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .map(file -> new String(file.content().bytes(), StandardCharsets.UTF_8))
                .orElse("");
    }

    private static String kubeconfig() {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: it
                  cluster: {server: "https://192.0.2.7:6443", certificate-authority-data: %s}
                """.formatted(Base64.getEncoder().encodeToString("an authority".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void aControlPlaneInAnotherNamespaceIsFoundWithItsSecrets() {
        remains.controlPlane("elsewhere");
        RecoveredCluster cluster = recover(PLAIN);
        assertThat(text(cluster, "tls/recovered/kube-apiserver/keys/etcd.key")).isEqualTo("old key");
        assertThat(text(cluster, AssetLayout.bootstrapManifest(Component.API_SERVER)))
                .contains("namespace: kube-system");
        assertThat(text(cluster, "manifests/daemonset-elsewhere-server.yaml")).contains("namespace: elsewhere");
        assertThat(cluster.server()).hasToString("https://192.0.2.7:6443");
    }

    @Test
    void whatWasDeletedIsTakenFromTheHistoryAndSaid() {
        remains.controlPlane("kube-system");
        remains.delete("DaemonSet", "server");
        remains.delete("Secret", "server-keys");
        RecoveredCluster cluster = recover(PLAIN);
        assertThat(text(cluster, AssetLayout.bootstrapManifest(Component.API_SERVER)))
                .contains("kube-apiserver");
        assertThat(cluster.notes())
                .anyMatch(note -> note.contains("DaemonSet kube-system/server was deleted"))
                .anyMatch(note -> note.contains("Secret kube-system/server-keys was deleted"));
    }

    @Test
    void everythingThatIsMissingIsInOneReport() {
        remains.controlPlane("kube-system");
        remains.forget("Deployment", "manager");
        remains.forget("Deployment", "scheduler");
        assertThatThrownBy(() -> recover(PLAIN))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        failure -> assertThat(failure.problems())
                                .extracting(Problem::what)
                                .anyMatch(what -> what.contains("kube-controller-manager"))
                                .anyMatch(what -> what.contains("kube-scheduler")));
    }

    @Test
    void aSecretThatIsNowhereIsNamedWithTheFieldThatWantsIt() {
        remains.controlPlane("kube-system");
        remains.forget("Secret", "server-keys");
        assertThatThrownBy(() -> recover(PLAIN))
                .hasMessageContaining("DaemonSet kube-system/server spec.volumes[0].secret.secretName")
                .hasMessageContaining("there is no Secret");
    }

    @Test
    void aWorkloadThatCannotBeReadMattersOnlyWhenAPartIsMissing() {
        Problem other =
                new Problem(ErrorCode.UNREADABLE_OBJECT, "/registry/deployments/x", "is damaged", "", "try again");
        remains.controlPlane("kube-system");
        remains.unreadable.add(other);
        assertThat(recover(PLAIN).notes()).isEmpty();
        remains.forget("Deployment", "scheduler");
        assertThatThrownBy(() -> recover(PLAIN))
                .hasMessageContaining("is damaged")
                .hasMessageContaining("kube-scheduler");
    }

    @Test
    void twoThatCouldBeTheApiServerAreNotGuessedAt() {
        remains.controlPlane("kube-system");
        remains.add(Remains.workload("DaemonSet", "kube-system", "second", List.of("kube-apiserver")));
        assertThatThrownBy(() -> recover(PLAIN))
                .hasMessageContaining("more than one that runs kube-apiserver")
                .hasMessageContaining("--workload kube-apiserver=NAMESPACE/NAME");
    }

    @Test
    void theOneThatIsNamedIsTaken() {
        remains.controlPlane("kube-system");
        remains.add(Remains.workload(
                "Deployment", "tenant", "hosted", List.of("kube-apiserver", "--etcd-servers=https://192.0.2.9:2379")));
        remains.add(Remains.workload("Deployment", "kube-system", "batch", List.of("kube-scheduler")));
        Map<Component, String> named =
                Map.of(Component.API_SERVER, "kube-system/server", Component.SCHEDULER, "kube-system/scheduler");
        RecoveredCluster cluster =
                recover(new RecoveryRequest(Optional.of(kubeconfig()), Optional.empty(), true, true, named, Map.of()));
        assertThat(cluster.etcdServers()).containsExactly("https://192.0.2.7:2379");
        assertThat(cluster.files())
                .extracting(AssetFile::path)
                .contains(
                        "manifests/daemonset-kube-system-server.yaml",
                        "manifests/deployment-kube-system-scheduler.yaml")
                .doesNotContain(
                        "manifests/deployment-tenant-hosted.yaml", "manifests/deployment-kube-system-batch.yaml");

        Map<Component, String> unknown = Map.of(Component.SCHEDULER, "kube-system/none");
        assertThatThrownBy(() -> recover(new RecoveryRequest(
                        Optional.of(kubeconfig()), Optional.empty(), false, false, unknown, Map.of())))
                .hasMessageContaining("StatefulSet kube-system/none that runs kube-scheduler");
    }

    /** A rehearsal a year ago, and now the loss. */
    @Test
    void etcdsKeysOfAnEarlierRecoveryAreKeptWhileTheyAreGood() {
        remains.controlPlane("kube-system");
        InstantSource now = InstantSource.system();
        RecoveredCluster first = recover(NEW_KEYS);
        assertThat(etcdKeys(again(first, now))).isEqualTo(etcdKeys(first));

        InstantSource later = () -> now.instant().plus(Duration.ofDays(400));
        RecoveredCluster second = again(first, later);
        assertThat(text(second, AssetLayout.ETCD_CA_CERTIFICATE))
                .isEqualTo(text(first, AssetLayout.ETCD_CA_CERTIFICATE));
        assertThat(text(second, AssetLayout.ETCD_CA_KEY)).isEqualTo(text(first, AssetLayout.ETCD_CA_KEY));
        for (String leaf : List.of(
                AssetLayout.ETCD_SERVER_CERTIFICATE,
                AssetLayout.ETCD_PEER_CERTIFICATE,
                AssetLayout.ETCD_CLIENT_CERTIFICATE)) {
            assertThat(Pem.certificate(text(second, leaf))
                            .orElseThrow()
                            .getNotAfter()
                            .toInstant())
                    .as(leaf)
                    .isAfter(later.instant());
        }

        remains.forget("DaemonSet", "server");
        remains.add(Remains.workload(
                "DaemonSet",
                "kube-system",
                "server",
                List.of(
                        "kube-apiserver",
                        "--etcd-servers=https://192.0.2.8:2379",
                        "--etcd-cafile=/keys/etcd-ca.crt",
                        "--etcd-certfile=/keys/etcd.crt",
                        "--etcd-keyfile=/keys/etcd.key")));
        RecoveredCluster moved = again(first, now);
        assertThat(text(moved, AssetLayout.ETCD_SERVER_CERTIFICATE))
                .as("for another address")
                .isNotEqualTo(text(first, AssetLayout.ETCD_SERVER_CERTIFICATE));
        assertThat(text(moved, AssetLayout.ETCD_CLIENT_CERTIFICATE))
                .isEqualTo(text(first, AssetLayout.ETCD_CLIENT_CERTIFICATE));
    }

    private RecoveredCluster again(RecoveredCluster before, InstantSource clock) {
        return new Recovery(clock, new SecureRandom())
                .of(ClusterObjects.read(remains), NEW_KEYS.keeping(texts(before)));
    }

    private static Map<String, String> etcdKeys(RecoveredCluster cluster) {
        Map<String, String> keys = texts(cluster);
        keys.keySet().removeIf(path -> !path.contains("etcd"));
        return keys;
    }

    private static Map<String, String> texts(RecoveredCluster cluster) {
        Map<String, String> texts = new TreeMap<>();
        cluster.files().forEach(file -> texts.put(file.path(), text(cluster, file.path())));
        return texts;
    }

    @Test
    void newKeysForEtcdNeedOneSecretOfTheOldOnes() {
        remains.controlPlane("kube-system");
        remains.forget("DaemonSet", "server");
        remains.add(Remains.read("""
                {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "server", "namespace": "kube-system"},
                 "spec": {"template": {"spec": {
                   "containers": [{"name": "main", "image": "example.com/it:v1.30.1",
                     "command": ["kube-apiserver", "--etcd-servers=https://192.0.2.7:2379", "--etcd-cafile=/a/etcd-ca.crt",
                       "--etcd-certfile=/a/etcd.crt", "--etcd-keyfile=/b/etcd.key"],
                     "volumeMounts": [{"name": "a", "mountPath": "/a"}, {"name": "b", "mountPath": "/b"}]}],
                   "volumes": [{"name": "a", "secret": {"secretName": "server-keys"}},
                     {"name": "b", "secret": {"secretName": "manager-keys"}}]}}}}
                """));
        Refusal.of(
                () -> recover(NEW_KEYS),
                ErrorCode.UNSUPPORTED_CLUSTER,
                "DaemonSet kube-system/server",
                "--etcd-keyfile is of Secret manager-keys",
                "recover without new keys for etcd");
    }

    @Test
    void aProgramBehindAShellIsNotStartedInItsPlace() {
        remains.controlPlane("kube-system");
        remains.forget("Deployment", "scheduler");
        remains.add(Remains.workload(
                "Deployment", "kube-system", "scheduler", List.of("/bin/sh", "-c", "exec kube-scheduler --v=2")));
        Refusal.of(() -> recover(PLAIN), ErrorCode.UNSUPPORTED_CLUSTER)
                .lineContains("Deployment kube-system/scheduler", "through a shell")
                .nextContains("change the template in the source");
    }

    @Test
    void aMarkThatNoRecoveryWroteIsNamed() {
        ModelDisk disk = new ModelDisk();
        Path root = Path.of("/recovered");
        disk.createDirectories(root.resolve(AssetLayout.RECOVERY).resolveSibling("."), "rwx------");
        disk.write(root.resolve(AssetLayout.RECOVERY), "mine".getBytes(StandardCharsets.UTF_8), "rw-------");
        Refusal.of(() -> new RecoveryDirectory(disk, root).facts(), ErrorCode.INVALID_ASSET_DIRECTORY)
                .where("/recovered/" + AssetLayout.RECOVERY)
                .next("recover again");
    }

    @Test
    void newKeysForEtcdAreANewSecretAndANewTemplate() {
        remains.controlPlane("kube-system");
        RecoveredCluster cluster = recover(NEW_KEYS);
        String daemonSet = text(cluster, "manifests/daemonset-kube-system-server.yaml");
        assertThat(daemonSet).containsPattern("secretName: \"?server-keys-[0-9a-f]{10}");
        assertThat(text(cluster, "tls/recovered/kube-apiserver/keys/etcd.key"))
                .isEqualTo(text(cluster, AssetLayout.ETCD_CLIENT_KEY))
                .contains("PRIVATE KEY");
        assertThat(text(cluster, "tls/recovered/kube-apiserver/keys/other"))
                .as("what is not etcd's stays")
                .isEqualTo("something else");
        assertThat(text(cluster, AssetLayout.ETCD_SERVER_CERTIFICATE)).contains("CERTIFICATE");
        assertThat(text(cluster, AssetLayout.RECOVERY))
                .as("applied, whoever has set the former Secret's name")
                .contains("\"changed\":[\"DaemonSet kube-system/server\"]");
        assertThat(text(recover(PLAIN), AssetLayout.RECOVERY)).contains("\"changed\":[]");
    }

    @Test
    void whatTheNodeHasBesidesIsNamedAndNoKeyIsShown() {
        remains.controlPlane("kube-system");
        RecoveredCluster snapshot = recover(PLAIN);
        remains.forget("DaemonSet", "server");
        remains.forget("Secret", "server-keys");
        remains.add(Remains.workload("DaemonSet", "kube-system", "server", List.of("kube-apiserver", "--v=3")));
        remains.add(Remains.secret("kube-system", "server-keys", "new key"));
        RecoveredCluster node = recover(PLAIN);

        List<OnNode> differences = NodeComparison.of(
                snapshot.controlPlane(), List.copyOf(node.controlPlane().values()));

        Optional<String> another = Optional.of("another content");
        assertThat(differences)
                .contains(
                        new OnNode("kube-apiserver", "--v", Optional.empty(), Optional.of("3")),
                        new OnNode("kube-apiserver", "--etcd-keyfile", Optional.of("/keys/etcd.key"), Optional.empty()),
                        new OnNode("kube-apiserver", "keys/etcd.key", another, another))
                .hasSize(6);
        assertThat(differences.toString()).doesNotContain("new key");
        assertThat(NodeComparison.of(
                        snapshot.controlPlane(),
                        List.copyOf(snapshot.controlPlane().values())))
                .isEmpty();
    }
}
