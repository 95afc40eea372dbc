package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.config.ClusterChecks;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.pki.ClusterPki;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The steward's pod, its rights, and the object that says what it is to do. */
final class StewardManifestsTest {
    private static final String OURS = "https://10.0.0.1:2379";

    private static List<Asset> assets(String layers) {
        return assets(layers, "");
    }

    private static List<Asset> assets(String layers, String more) {
        return assetsOf(OURS, layers, more);
    }

    private static List<Asset> assetsOf(String etcd, String layers, String more) {
        var checked = ClusterChecks.check(ClusterDocument.read("""
                        apiVersion: ouroboros.dev/v1alpha1
                        kind: Cluster
                        spec:
                          kubernetesVersion: v1.20.2
                          layers: %s
                          apiServer: {endpoints: ["https://10.0.0.1:6443"]}
                          etcd: {servers: ["%s"]}
                          %s
                        """.formatted(layers, etcd, more), "c.yaml")
                .settings());
        if (!checked.problems().isEmpty()) {
            throw new ProblemException(checked.problems());
        }
        ClusterSpec cluster = checked.cluster().orElseThrow();
        Map<String, String> files = new TreeMap<>();
        ClusterPki.paths().forEach(path -> files.put(path, path));
        files.put(AssetLayout.ENCRYPTION_CONFIG, AssetLayout.ENCRYPTION_CONFIG);
        files.put(AssetLayout.AUTHENTICATION_CONFIG, AssetLayout.AUTHENTICATION_CONFIG);
        BootstrapToken token = BootstrapToken.parse("abcdef.0123456789abcdef").orElseThrow();
        return new ClusterManifests(cluster, VersionFacts.of(cluster.version()), token, files).assets();
    }

    private static JsonNode read(List<Asset> assets, String path) {
        String text = assets.stream()
                .filter(asset -> asset.path().equals(path))
                .map(Asset::text)
                .findFirst()
                .orElseThrow();
        try {
            return new YAMLMapper().readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError(path, e);
        }
    }

    /** Certificates end in every cluster. */
    @Test
    void isThereWhoeverManagesEtcdUnlessItIsLeftOut() {
        for (String layers : List.of("1-4", "2-4")) {
            assertThat(assets(layers))
                    .extracting(Asset::path)
                    .contains(
                            AssetLayout.STEWARD,
                            AssetLayout.STEWARD_SECRET,
                            AssetLayout.CONTROL_PLANE_DEFINITION,
                            AssetLayout.CONTROL_PLANE_OBJECT);
        }
        for (String without : List.of("images: {steward: none}", "keeper: {enabled: false}")) {
            assertThat(assets("2-4", without)).extracting(Asset::path).noneMatch(path -> path.contains("steward"));
        }
    }

    /** Neither what adds and removes members, nor a wish for any. */
    @Test
    void whereEtcdIsItsOwnersItHasNoMoreThanItsFiles() {
        List<Asset> assets = assets("2-4");
        JsonNode pod = read(assets, AssetLayout.STEWARD).at("/spec/template/spec");

        assertThat(pod.at("/containers/0/args").toString()).contains("--manages-etcd=false", "--etcd-ca-key-file=");
        assertThat(pod.path("hostPID").isMissingNode()).isTrue();
        assertThat(pod.toString()).doesNotContain("SYS_PTRACE", "/var/lib/kubelet", "/var/lib/etcd");
        assertThat(read(assets, AssetLayout.STEWARD_CLUSTER_ROLE).toString()).doesNotContain("certificates.k8s.io");
        assertThat(read(assets, AssetLayout.CONTROL_PLANE_OBJECT).path("spec")).isEmpty();
    }

    /** An etcd of somebody else's keeps its files, and one without TLS has none. */
    @Test
    void ofAnEtcdOfSomebodyElsesItMountsNothingOfTheNode() {
        JsonNode pod = read(assetsOf("http://10.0.0.1:2379", "2-4", ""), AssetLayout.STEWARD)
                .at("/spec/template/spec");

        assertThat(pod.at("/containers/0/args").toString()).doesNotContain("--etcd-");
        assertThat(pod.toString()).doesNotContain("etcd-tls", "/etc/kubernetes/manifests");
    }

    @Test
    void whatManagesEtcdCannotBeLeftOut() {
        Refusal.of(
                () -> assets("1-4", "images: {steward: none}"),
                ErrorCode.INVALID_CONFIG,
                "c.yaml:8: spec.images.steward",
                "leaves out what manages etcd with spec.layers 1-4",
                "");
    }

    /** What an even number of members, or a name that nobody reads, would be. */
    @Test
    void theDefinitionRefusesWhatCannotBeWished() {
        JsonNode schema = read(assets("1-4"), AssetLayout.CONTROL_PLANE_DEFINITION)
                .at("/spec/versions/0/schema/openAPIV3Schema/properties");

        assertThat(schema.at("/metadata/properties/name/pattern").asText()).isEqualTo("^cluster$");
        assertThat(StreamSupport.stream(
                        schema.at("/spec/properties/etcd/properties/size/enum").spliterator(), false))
                .extracting(JsonNode::asInt)
                .containsExactly(1, 3, 5);
        assertThat(read(assets("1-4"), AssetLayout.CONTROL_PLANE_DEFINITION)
                        .at("/spec/versions/0/subresources/scale/specReplicasPath")
                        .asText())
                .isEqualTo(".spec.etcd.size");
    }

    @Test
    void theObjectDoesNotSayHowManyMembersThereAre() {
        JsonNode object = read(assets("1-4"), AssetLayout.CONTROL_PLANE_OBJECT);

        assertThat(object.at("/metadata/name").asText()).isEqualTo("cluster");
        assertThat(object.at("/spec/etcd/size").isMissingNode()).isTrue();
        assertThat(object.at("/spec/etcd/backup/interval").asText()).isEqualTo("1h");
    }

    @Test
    void itsRightsHaveNoWildcardAndItsPodIsNotPrivileged() {
        List<Asset> assets = assets("1-4");
        for (String role : List.of(AssetLayout.STEWARD_CLUSTER_ROLE, AssetLayout.STEWARD_SYSTEM_ROLE)) {
            JsonNode rules = read(assets, role).at("/rules");
            assertThat(rules.size()).isPositive();
            assertThat(rules.toString()).doesNotContain("\"*\"", "delete", "escalate", "impersonate", "\"bind\"");
        }
        assertThat(read(assets, AssetLayout.STEWARD_CLUSTER_ROLE).toString()).doesNotContain("secrets");
        JsonNode container = read(assets, AssetLayout.STEWARD).at("/spec/template/spec/containers/0");
        assertThat(container.at("/securityContext/privileged").asBoolean()).isFalse();
        assertThat(container.at("/securityContext/capabilities/drop/0").asText())
                .isEqualTo("ALL");
        assertThat(container.at("/args").toString()).contains("--etcd-ca-key-file=");
    }

    /** Else the kubelet waits for a directory that is not there, and the pod never starts. */
    @Test
    void findsTheContainerRuntimeWhereTheDocumentSaysThatItIs() {
        JsonNode pod = read(assets("1-4", "keeper: {runtimeSocket: /run/crio/crio.sock}"), AssetLayout.STEWARD)
                .at("/spec/template/spec");

        assertThat(pod.at("/containers/0/args").toString()).contains("--runtime-socket=/run/crio/crio.sock");
        assertThat(pod.at("/volumes").toString())
                .contains("\"path\":\"/run/crio\"")
                .doesNotContain("/run/containerd");
    }
}
