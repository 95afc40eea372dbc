package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.config.ClusterChecks;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.pki.ClusterPki;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The keeper's pod and its rights. */
class KeeperManifestsTest {
    private static final String USER = "system:ouroboros:keeper";

    private final List<Asset> assets = assets("");

    @Test
    void readsNoSecretOutsideTheNamespacesItIsBoundIn() {
        ClusterRole everywhere = read(AssetLayout.KEEPER_CLUSTER_ROLE, ClusterRole.class);

        assertThat(everywhere.getRules())
                .flatExtracting(PolicyRule::getResources)
                .containsExactlyInAnyOrder("pods", "nodes", "events", "namespaces");
        assertThat(everywhere.getRules())
                .allSatisfy(rule -> assertThat(rule.getVerbs())
                        .doesNotContain("delete", "deletecollection", "escalate", "bind", "impersonate"));
        assertThat(clusterBindingsOfKeeper())
                .containsExactly(everywhere.getMetadata().getName());
        RoleBinding secrets = read(AssetLayout.KEEPER_NAMESPACE_BINDING, RoleBinding.class);
        assertThat(secrets.getMetadata().getNamespace()).isEqualTo("kube-system");
        assertThat(secrets.getRoleRef().getName())
                .isEqualTo(read(AssetLayout.KEEPER_NAMESPACE_ROLE, ClusterRole.class)
                        .getMetadata()
                        .getName());
    }

    @Test
    void hasNoWildcardAndWritesOnlyWhatItNames() {
        List<PolicyRule> rules = Stream.of(
                        read(AssetLayout.KEEPER_CLUSTER_ROLE, ClusterRole.class).getRules(),
                        read(AssetLayout.KEEPER_NAMESPACE_ROLE, ClusterRole.class)
                                .getRules(),
                        read(AssetLayout.KEEPER_LEASE_ROLE, Role.class).getRules(),
                        read(AssetLayout.KEEPER_SERVICE_ROLE, Role.class).getRules())
                .flatMap(List::stream)
                .toList();

        assertThat(rules).allSatisfy(rule -> {
            assertThat(rule.getVerbs()).doesNotContain("*");
            assertThat(rule.getResources()).doesNotContain("*");
            assertThat(rule.getApiGroups()).doesNotContain("*");
        });
        assertThat(rules)
                .filteredOn(rule -> rule.getVerbs().contains("update"))
                .isNotEmpty()
                .allSatisfy(rule -> assertThat(rule.getResourceNames()).isNotEmpty());
    }

    @Test
    void isNoAdministratorByItsCertificate() {
        String role = assets.stream()
                .filter(asset -> asset.path().startsWith(AssetLayout.MANIFESTS + "/keeper"))
                .map(Asset::text)
                .reduce("", String::concat);

        assertThat(role).contains(USER).doesNotContain("system:masters", "cluster-admin");
    }

    @Test
    void givesTheKeeperAKubeconfigThatIsJson() throws JsonText.MalformedJson {
        Json kubeconfig = JsonText.read(text(AssetLayout.KEEPER_KUBECONFIG));

        assertThat(kubeconfig).isInstanceOf(Json.Fields.class);
        Secret secret = read(AssetLayout.KEEPER_SECRET, Secret.class);
        assertThat(secret.getImmutable()).isTrue();
        assertThat(secret.getData()).containsOnlyKeys("kubeconfig-keeper");
        assertThat(pod().getVolumes())
                .filteredOn(volume -> volume.getSecret() != null)
                .singleElement()
                .satisfies(volume -> assertThat(volume.getSecret().getSecretName())
                        .isEqualTo(secret.getMetadata().getName()));
    }

    @Test
    void confinesTheContainerToWhatAKeeperDoes() {
        Container container = container();

        assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
        assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
        assertThat(container.getSecurityContext().getPrivileged()).isNull();
        assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        assertThat(container.getSecurityContext().getCapabilities().getAdd())
                .containsExactly("CHOWN", "DAC_OVERRIDE", "FOWNER", "NET_ADMIN");
        assertThat(container.getVolumeMounts())
                .filteredOn(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
                .extracting(VolumeMount::getMountPath)
                .containsExactly(
                        "/etc/kubernetes/manifests",
                        "/etc/kubernetes/bootstrap-secrets",
                        "/var/lib/ouroboros",
                        "/var/lib/ouroboros/keeper",
                        "/usr/local/lib/ouroboros/kubelet");
    }

    @Test
    void asksForACheckpointOfItself() {
        DaemonSet keeper = read(AssetLayout.KEEPER, DaemonSet.class);

        assertThat(keeper.getSpec().getTemplate().getMetadata().getAnnotations())
                .containsEntry("ouroboros.dev/checkpoint", "true");
        assertThat(pod().getServiceAccountName()).isNull();
    }

    @Test
    void mountsTheRuntimesDirectory() {
        List<Asset> other = assets("  keeper: {runtimeSocket: /run/crio/crio.sock, extraArgs: {soak: 10s}}\n");
        DaemonSet keeper = parsed(text(other, AssetLayout.KEEPER), DaemonSet.class);
        PodSpec pod = keeper.getSpec().getTemplate().getSpec();

        assertThat(pod.getVolumes())
                .filteredOn(volume -> volume.getName().equals("runtime"))
                .singleElement()
                .satisfies(volume -> assertThat(volume.getHostPath().getPath()).isEqualTo("/run/crio"));
        assertThat(pod.getContainers().getFirst().getArgs())
                .contains("--runtime-socket=/run/crio/crio.sock", "--soak=10s");
    }

    @Test
    void leavesTheKeeperOutWhenItIsNotWanted() {
        assertThat(assets("  keeper: {enabled: false}\n"))
                .extracting(Asset::path)
                .noneMatch(path -> path.contains("keeper"));
    }

    @Test
    void refusesASocketWithoutADirectoryAndFlagsThatAreRendered() {
        List<Problem> problems = ClusterChecks.check(
                        document("  keeper: {runtimeSocket: crio.sock, extraArgs: {node-name: other}}\n")
                                .settings())
                .problems();

        assertThat(problems)
                .extracting(Problem::where)
                .containsExactly("c.yaml:9: spec.keeper.runtimeSocket", "c.yaml:9: spec.keeper.extraArgs.node-name");
    }

    private List<String> clusterBindingsOfKeeper() {
        return assets.stream()
                .filter(asset -> asset.text().contains("kind: ClusterRoleBinding"))
                .map(asset -> parsed(asset.text(), ClusterRoleBinding.class))
                .filter(binding -> binding.getSubjects().stream().anyMatch(subject -> USER.equals(subject.getName())))
                .map(binding -> binding.getRoleRef().getName())
                .toList();
    }

    private PodSpec pod() {
        return read(AssetLayout.KEEPER, DaemonSet.class).getSpec().getTemplate().getSpec();
    }

    private Container container() {
        return pod().getContainers().getFirst();
    }

    private <T> T read(String path, Class<T> type) {
        return parsed(text(path), type);
    }

    private static <T> T parsed(String text, Class<T> type) {
        try {
            return new YAMLMapper().readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new AssertionError(text, e);
        }
    }

    private String text(String path) {
        return text(assets, path);
    }

    private static String text(List<Asset> assets, String path) {
        return assets.stream()
                .filter(asset -> asset.path().equals(path))
                .findFirst()
                .orElseThrow()
                .text();
    }

    private static ClusterDocument.Result document(String extra) {
        return ClusterDocument.read("""
                apiVersion: ouroboros.dev/v1alpha1
                kind: Cluster
                metadata: {name: demo}
                spec:
                  kubernetesVersion: v1.36.3
                  apiServer:
                    endpoints: [https://10.77.0.2:6443]
                  etcd: {servers: [https://10.77.0.2:2379]}
                %s""".formatted(extra), "c.yaml");
    }

    private static List<Asset> assets(String extra) {
        var cluster = ClusterChecks.check(document(extra).settings()).cluster().orElseThrow();
        Map<String, String> files = new TreeMap<>();
        ClusterPki.paths().forEach(path -> files.put(path, path));
        files.put(AssetLayout.ENCRYPTION_CONFIG, AssetLayout.ENCRYPTION_CONFIG);
        files.put(AssetLayout.AUTHENTICATION_CONFIG, AssetLayout.AUTHENTICATION_CONFIG);
        BootstrapToken token = BootstrapToken.parse("abcdef.0123456789abcdef").orElseThrow();
        return new ClusterManifests(cluster, VersionFacts.of(cluster.version()), token, files).assets();
    }
}
