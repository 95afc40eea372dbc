package dev.ouroboros.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.core.asset.AssetLayout;
import dev.ouroboros.core.checkpoint.ApiObject;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.recovery.NodeComparison.OnNode;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** On objects made for it: layouts that no snapshot at hand has. */
final class RecoveryTest {
    private static final RecoveryRequest NEW_KEYS =
            new RecoveryRequest(Optional.of(kubeconfig()), Optional.empty(), true, true, Map.of());
    private static final RecoveryRequest PLAIN =
            new RecoveryRequest(Optional.of(kubeconfig()), Optional.empty(), false, false, Map.of());

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
        assertThat(text(cluster, AssetLayout.BOOTSTRAP_API_SERVER)).contains("namespace: kube-system");
        assertThat(text(cluster, "manifests/daemonset-elsewhere-server.yaml")).contains("namespace: elsewhere");
        assertThat(cluster.server()).hasToString("https://192.0.2.7:6443");
    }

    @Test
    void whatWasDeletedIsTakenFromTheHistoryAndSaid() {
        remains.controlPlane("kube-system");
        remains.delete("DaemonSet", "server");
        remains.delete("Secret", "server-keys");
        RecoveredCluster cluster = recover(PLAIN);
        assertThat(text(cluster, AssetLayout.BOOTSTRAP_API_SERVER)).contains("kube-apiserver");
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
        Problem other = new Problem(ErrorCode.UNREADABLE_OBJECT, "/registry/deployments/x", "is damaged", "", "");
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
        assertThatThrownBy(() -> recover(PLAIN)).hasMessageContaining("more than one that runs kube-apiserver");
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

    /** A source that remembers. */
    private static final class Remains implements ObjectSource {
        private final List<Json.Fields> live = new ArrayList<>();
        private final List<Json.Fields> deleted = new ArrayList<>();
        private final List<Problem> unreadable = new ArrayList<>();

        void controlPlane(String namespace) {
            add(workload(
                    "DaemonSet",
                    namespace,
                    "server",
                    List.of(
                            "kube-apiserver",
                            "--etcd-servers=https://192.0.2.7:2379",
                            "--etcd-cafile=/keys/etcd-ca.crt",
                            "--etcd-certfile=/keys/etcd.crt",
                            "--etcd-keyfile=/keys/etcd.key")));
            add(workload("Deployment", namespace, "manager", List.of("kube-controller-manager")));
            add(workload("Deployment", namespace, "scheduler", List.of("kube-scheduler")));
            for (String name : List.of("server", "manager", "scheduler")) {
                add(secret(namespace, name + "-keys", "old key"));
            }
        }

        void add(Json.Fields object) {
            live.add(object);
        }

        void delete(String kind, String name) {
            live.stream().filter(object -> is(object, kind, name)).forEach(deleted::add);
            forget(kind, name);
        }

        void forget(String kind, String name) {
            live.removeIf(object -> is(object, kind, name));
        }

        private static boolean is(Json object, String kind, String name) {
            return object.at("kind").equals(Json.text(kind))
                    && object.at("metadata", "name").equals(Json.text(name));
        }

        static Json.Fields workload(String kind, String namespace, String name, List<String> command) {
            return read("""
                    {"apiVersion": "apps/v1", "kind": "%1$s", "metadata": {"name": "%3$s", "namespace": "%2$s"},
                     "spec": {"template": {"spec": {
                       "containers": [{"name": "main", "image": "example.com/it:v1.30.1", "command": ["%4$s"],
                         "volumeMounts": [{"name": "keys", "mountPath": "/keys"}]}],
                       "volumes": [{"name": "keys", "secret": {"secretName": "%3$s-keys"}}]}}}}
                    """.formatted(kind, namespace, name, String.join("\",\"", command)));
        }

        private static Json.Fields secret(String namespace, String name, String key) {
            return read("""
                    {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s", "namespace": "%s"}, "data":
                     {"etcd-ca.crt": "%s", "etcd.crt": "%s", "etcd.key": "%s", "other": "%s"}}
                    """.formatted(
                            name, namespace, base64("old ca"), base64("old"), base64(key), base64("something else")));
        }

        private static String base64(String text) {
            return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
        }

        private static Json.Fields read(String text) {
            try {
                return (Json.Fields) JsonText.read(text);
            } catch (JsonText.MalformedJson e) {
                throw new IllegalArgumentException(e);
            }
        }

        @Override
        public String origin() {
            return "remains";
        }

        @Override
        public List<Json.Fields> list(Set<Resource> resources, Predicate<Json> wanted) {
            return from(live, resources, wanted);
        }

        @Override
        public List<Json.Fields> listDeleted(Set<Resource> resources, Predicate<Json> wanted) {
            return from(deleted, resources, wanted);
        }

        private static List<Json.Fields> from(
                List<Json.Fields> objects, Set<Resource> resources, Predicate<Json> wanted) {
            return objects.stream()
                    .filter(object -> resources.stream()
                            .anyMatch(resource ->
                                    resource.named(Json.object()).at("kind").equals(object.at("kind"))))
                    .filter(wanted)
                    .toList();
        }

        @Override
        public Map<ApiObject, Json.Fields> read(Set<ApiObject> objects) {
            return from(live, objects);
        }

        @Override
        public Map<ApiObject, Json.Fields> readDeleted(Set<ApiObject> objects) {
            return from(deleted, objects);
        }

        private static Map<ApiObject, Json.Fields> from(List<Json.Fields> all, Set<ApiObject> objects) {
            Map<ApiObject, Json.Fields> found = new HashMap<>();
            all.forEach(object -> Resource.reference(object)
                    .filter(objects::contains)
                    .ifPresent(reference -> found.put(reference, object)));
            return found;
        }

        @Override
        public List<Problem> problems() {
            return List.copyOf(unreadable);
        }

        @Override
        public List<Problem> damage() {
            return List.of();
        }
    }
}
