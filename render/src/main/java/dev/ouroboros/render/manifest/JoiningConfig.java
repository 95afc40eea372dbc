package dev.ouroboros.render.manifest;

import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.JoiningObjects;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.cluster.ImageNames;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a joining machine is told: settings of the whole cluster, and pools, of which one says what the machine is to be. None of it is secret, and a
 * bootstrap token may read no other ConfigMap. People add pools to it.
 */
final class JoiningConfig {
    private static final String CORE = "";

    private JoiningConfig() {}

    static List<Asset> assets(ClusterSpec spec) {
        Yaml yaml = new Yaml();
        return List.of(
                Asset.open(AssetLayout.JOINING_CONFIG, yaml.text(configMap(spec))),
                Asset.open(
                        AssetLayout.JOINING_ROLE,
                        yaml.text(Rights.role(
                                JoiningObjects.ROLE,
                                Pods.NAMESPACE,
                                Rights.named(
                                        Rights.rule(CORE, List.of("configmaps"), List.of("get")),
                                        JoiningObjects.NAME)))),
                Asset.open(
                        AssetLayout.JOINING_BINDING,
                        yaml.text(Rights.ofGroup(JoiningObjects.ROLE, Pods.NAMESPACE, JoiningObjects.BOOTSTRAPPERS))),
                // As in kubeadm: the machine asks whether a Node of its name exists, which its kubelet would take over.
                Asset.open(
                        AssetLayout.JOINING_CLUSTER_ROLE,
                        yaml.text(Rights.clusterRole(
                                JoiningObjects.ROLE, Rights.rule(CORE, List.of("nodes"), List.of("get"))))),
                Asset.open(
                        AssetLayout.JOINING_CLUSTER_BINDING,
                        yaml.text(
                                Access.group(JoiningObjects.ROLE, JoiningObjects.ROLE, JoiningObjects.BOOTSTRAPPERS))));
    }

    /** Images that no registry has: a joining machine brings them. */
    private static List<String> imagesOfEveryNode(ClusterSpec spec) {
        List<String> images = new ArrayList<>();
        spec.keeper().ifPresent(_ -> images.add(spec.images().keeper()));
        spec.proxyMode().ifPresent(_ -> images.add(spec.images().proxy()));
        return images.stream().filter(ImageNames::isLocal).toList();
    }

    private static ConfigMap configMap(ClusterSpec spec) {
        Yaml yaml = new Yaml();
        Map<String, Object> cluster = new TreeMap<>(Map.of(
                "clusterDNS",
                spec.network().dnsAddress().getHostAddress(),
                "clusterDomain",
                ClusterSpec.CLUSTER_DOMAIN,
                "images",
                imagesOfEveryNode(spec),
                "podCIDR",
                spec.network().pods().toString(),
                "podNetwork",
                true,
                "serviceCIDR",
                spec.network().services().toString()));
        Map<String, Object> pool = new TreeMap<>(Map.of("kubelet", Map.of(), "labels", Map.of(), "taints", List.of()));
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(JoiningObjects.NAME)
                .withNamespace(Pods.NAMESPACE)
                .endMetadata()
                .withData(new TreeMap<>(Map.of(
                        JoiningObjects.CLUSTER,
                        yaml.text(cluster),
                        JoiningObjects.POOL_PREFIX + JoiningObjects.DEFAULT_POOL,
                        yaml.text(pool))))
                .build();
    }
}
