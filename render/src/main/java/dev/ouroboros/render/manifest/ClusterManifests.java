package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.asset.Asset;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.KeeperObjects;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.render.cluster.ClusterSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds what the API server is told ({@code manifests/}), what the first kubelet is told ({@code bootstrap-manifests/}) and the
 * kubeconfigs ({@code auth/}) from a cluster's description and its keys. Pure: the same input gives the same bytes.
 */
public final class ClusterManifests {
    private final ClusterSpec spec;
    private final VersionFacts facts;
    private final BootstrapToken token;
    private final Map<String, String> files;
    private final Yaml yaml = new Yaml();

    /**
     * Prepares the manifests of a cluster.
     *
     * @param files texts of the files below {@code tls/} by path: certificates, keys, configuration of the API server
     */
    public ClusterManifests(ClusterSpec spec, VersionFacts facts, BootstrapToken token, Map<String, String> files) {
        this.spec = spec;
        this.facts = facts;
        this.token = token;
        this.files = new TreeMap<>(files);
    }

    /** All of them, by path. */
    public List<Asset> assets() {
        List<Asset> assets = new ArrayList<>(kubeconfigs());
        assets.forEach(asset -> files.put(asset.path(), asset.text()));
        apiServer(assets);
        leaderElected(
                assets,
                LeaderElected.controllerManager(spec, facts),
                Component.CONTROLLER_MANAGER,
                List.of(
                        AssetLayout.CONTROLLER_MANAGER,
                        AssetLayout.CONTROLLER_MANAGER_SECRET,
                        AssetLayout.CONTROLLER_MANAGER_DISRUPTION,
                        AssetLayout.bootstrapManifest(Component.CONTROLLER_MANAGER)));
        leaderElected(
                assets,
                LeaderElected.scheduler(spec, facts),
                Component.SCHEDULER,
                List.of(
                        AssetLayout.SCHEDULER,
                        AssetLayout.SCHEDULER_SECRET,
                        AssetLayout.SCHEDULER_DISRUPTION,
                        AssetLayout.bootstrapManifest(Component.SCHEDULER)));
        spec.proxyMode().ifPresent(mode -> proxy(assets, mode));
        spec.keeper().ifPresent(keeper -> {
            keeper(assets, keeper);
            nodeAgent(assets);
        });
        spec.dns().ifPresent(dns -> dns(assets, dns));
        spec.steward().ifPresent(steward -> steward(assets, steward));
        assets.addAll(Joining.assets(token));
        assets.addAll(JoiningConfig.assets(spec));
        return List.copyOf(assets);
    }

    private List<Asset> kubeconfigs() {
        Kubeconfigs kubeconfigs =
                new Kubeconfigs(spec.name(), spec.apiServer().endpoint(), file(AssetLayout.CA_CERTIFICATE));
        List<Asset> assets = new ArrayList<>();
        assets.add(kubeconfig(
                kubeconfigs,
                AssetLayout.ADMIN_KUBECONFIG,
                "admin",
                AssetLayout.ADMIN_CERTIFICATE,
                AssetLayout.ADMIN_KEY));
        assets.add(kubeconfig(
                kubeconfigs,
                AssetLayout.CONTROLLER_MANAGER_KUBECONFIG,
                "system:kube-controller-manager",
                AssetLayout.CONTROLLER_MANAGER_CERTIFICATE,
                AssetLayout.CONTROLLER_MANAGER_KEY));
        assets.add(kubeconfig(
                kubeconfigs,
                AssetLayout.SCHEDULER_KUBECONFIG,
                "system:kube-scheduler",
                AssetLayout.SCHEDULER_CERTIFICATE,
                AssetLayout.SCHEDULER_KEY));
        if (spec.proxyMode().isPresent()) {
            assets.add(kubeconfig(
                    kubeconfigs,
                    AssetLayout.PROXY_KUBECONFIG,
                    "system:kube-proxy",
                    AssetLayout.PROXY_CERTIFICATE,
                    AssetLayout.PROXY_KEY));
        }
        if (spec.keeper().isPresent()) {
            assets.add(Asset.secret(
                    AssetLayout.KEEPER_KUBECONFIG,
                    yaml.json(kubeconfigs.withCertificate(
                            KeeperObjects.USER, file(AssetLayout.KEEPER_CERTIFICATE), file(AssetLayout.KEEPER_KEY)))));
            assets.add(Asset.secret(
                    AssetLayout.NODE_AGENT_KUBECONFIG,
                    yaml.json(kubeconfigs.withCertificate(
                            NodeAgentObjects.USER,
                            file(AssetLayout.NODE_AGENT_CERTIFICATE),
                            file(AssetLayout.NODE_AGENT_KEY)))));
        }
        assets.add(Asset.secret(
                AssetLayout.KUBELET_KUBECONFIG, yaml.text(kubeconfigs.withToken("kubelet-bootstrap", token.value()))));
        return assets;
    }

    private Asset kubeconfig(Kubeconfigs kubeconfigs, String path, String user, String certificate, String privateKey) {
        return Asset.secret(path, yaml.text(kubeconfigs.withCertificate(user, file(certificate), file(privateKey))));
    }

    private void apiServer(List<Asset> assets) {
        ApiServer apiServer = new ApiServer(spec, facts);
        Component component = Component.API_SERVER;
        Secret secret = secret(component, apiServer.files());
        assets.add(Asset.secret(AssetLayout.API_SERVER_SECRET, yaml.text(secret)));
        assets.add(open(AssetLayout.API_SERVER, apiServer.daemonSet(nameOf(secret))));
        assets.add(open(AssetLayout.API_SERVER_DISRUPTION, Access.atLeastOne(component, facts)));
        assets.add(open(AssetLayout.API_SERVER_KUBELET_BINDING, Access.kubeletClientBinding()));
        assets.add(open(AssetLayout.bootstrapManifest(Component.API_SERVER), apiServer.bootstrapPod()));
    }

    /** Paths in this order: Deployment, Secret, budget, temporary pod. */
    private void leaderElected(List<Asset> assets, LeaderElected elected, Component component, List<String> paths) {
        Secret secret = secret(component, elected.files());
        Deployment deployment = elected.deployment(nameOf(secret));
        assets.add(open(paths.get(0), deployment));
        assets.add(Asset.secret(paths.get(1), yaml.text(secret)));
        assets.add(open(paths.get(2), Access.oneAtATime(component, facts)));
        assets.add(open(paths.get(3), elected.bootstrapPod()));
    }

    private void proxy(List<Asset> assets, String mode) {
        Secret secret = secret(Component.PROXY, List.of(AssetLayout.PROXY_KUBECONFIG));
        assets.add(Asset.secret(AssetLayout.PROXY_SECRET, yaml.text(secret)));
        assets.add(open(AssetLayout.PROXY, new KubeProxy(spec, facts, mode).daemonSet(nameOf(secret))));
    }

    private void keeper(List<Asset> assets, ClusterSpec.Keeper keeper) {
        SortedMap<String, String> content = new TreeMap<>(
                Map.of(AssetLayout.baseName(AssetLayout.KEEPER_KUBECONFIG), file(AssetLayout.KEEPER_KUBECONFIG)));
        Secret secret = HashedNames.secret(KeeperDaemonSet.NAME, KeeperDaemonSet.labels(), content);
        assets.add(open(AssetLayout.KEEPER, new KeeperDaemonSet(spec, keeper, facts).daemonSet(nameOf(secret))));
        assets.add(Asset.secret(AssetLayout.KEEPER_SECRET, yaml.text(secret)));
        assets.add(open(AssetLayout.KEEPER_CLUSTER_ROLE, KeeperAccess.clusterRole()));
        assets.add(open(AssetLayout.KEEPER_CLUSTER_BINDING, KeeperAccess.clusterBinding()));
        assets.add(open(AssetLayout.KEEPER_NAMESPACE_ROLE, KeeperAccess.namespaceRole()));
        assets.add(open(AssetLayout.KEEPER_NAMESPACE_BINDING, KeeperAccess.namespaceBinding()));
        assets.add(open(AssetLayout.KEEPER_LEASE_ROLE, KeeperAccess.systemRole()));
        assets.add(open(AssetLayout.KEEPER_LEASE_BINDING, KeeperAccess.systemBinding()));
        assets.add(open(AssetLayout.KEEPER_SERVICE_ROLE, KeeperAccess.serviceRole()));
        assets.add(open(AssetLayout.KEEPER_SERVICE_BINDING, KeeperAccess.serviceBinding()));
    }

    private void nodeAgent(List<Asset> assets) {
        NodeAgentDaemonSet agents = new NodeAgentDaemonSet(spec, facts);
        SortedMap<String, String> content = new TreeMap<>(Map.of(
                AssetLayout.baseName(AssetLayout.NODE_AGENT_KUBECONFIG),
                file(AssetLayout.NODE_AGENT_KUBECONFIG),
                NodeAgentObjects.STATIC_POD,
                yaml.json(agents.staticPod())));
        Secret secret = HashedNames.secret(Component.NODE_AGENT.id(), NodeAgentDaemonSet.labels(), content);
        assets.add(open(AssetLayout.NODE_AGENT, agents.daemonSet(nameOf(secret))));
        assets.add(Asset.secret(AssetLayout.NODE_AGENT_SECRET, yaml.text(secret)));
        assets.add(open(AssetLayout.NODE_AGENT_CLUSTER_ROLE, NodeAgentAccess.clusterRole()));
        assets.add(open(AssetLayout.NODE_AGENT_CLUSTER_BINDING, NodeAgentAccess.clusterBinding()));
        assets.add(open(AssetLayout.NODE_AGENT_SYSTEM_ROLE, NodeAgentAccess.systemRole()));
        assets.add(open(AssetLayout.NODE_AGENT_SYSTEM_BINDING, NodeAgentAccess.systemBinding()));
        assets.add(open(AssetLayout.NODE_AGENT_SERVICE_ROLE, NodeAgentAccess.serviceRole()));
        assets.add(open(AssetLayout.NODE_AGENT_SERVICE_BINDING, NodeAgentAccess.serviceBinding()));
    }

    private void dns(List<Asset> assets, ClusterSpec.Dns chosen) {
        ClusterDns dns = new ClusterDns(spec, chosen, facts);
        assets.add(open(AssetLayout.DNS, dns.deployment()));
        assets.add(open(AssetLayout.DNS_ACCOUNT, dns.account()));
        assets.add(open(AssetLayout.DNS_ROLE, dns.role()));
        assets.add(open(AssetLayout.DNS_BINDING, dns.binding()));
        assets.add(open(AssetLayout.DNS_SERVICE, dns.service()));
        switch (chosen.provider()) {
            case COREDNS -> assets.add(open(AssetLayout.DNS_CONFIG, dns.corefile()));
            case OUROBOROS -> {}
        }
    }

    private void steward(List<Asset> assets, ClusterSpec.Steward chosen) {
        StewardManifests steward = new StewardManifests(spec, chosen, facts);
        Secret secret = HashedNames.secret(Component.STEWARD.id(), StewardManifests.labels(), content(steward.files()));
        assets.add(open(AssetLayout.STEWARD, steward.daemonSet(nameOf(secret))));
        assets.add(Asset.secret(AssetLayout.STEWARD_SECRET, yaml.text(secret)));
        assets.add(open(AssetLayout.STEWARD_ACCOUNT, StewardManifests.account()));
        assets.add(open(AssetLayout.STEWARD_CLUSTER_ROLE, steward.clusterRole()));
        assets.add(open(AssetLayout.STEWARD_CLUSTER_BINDING, StewardManifests.clusterBinding()));
        assets.add(open(AssetLayout.STEWARD_SYSTEM_ROLE, StewardManifests.systemRole()));
        assets.add(open(AssetLayout.STEWARD_SYSTEM_BINDING, StewardManifests.systemBinding()));
        assets.add(Asset.open(AssetLayout.CONTROL_PLANE_DEFINITION, StewardManifests.definition()));
        assets.add(open(AssetLayout.CONTROL_PLANE_OBJECT, steward.object()));
    }

    private Secret secret(Component component, List<String> paths) {
        return HashedNames.secret(component.id(), Pods.labels(component, tierOf(component)), content(paths));
    }

    private SortedMap<String, String> content(List<String> paths) {
        SortedMap<String, String> content = new TreeMap<>();
        paths.forEach(path -> content.put(AssetLayout.baseName(path), file(path)));
        return content;
    }

    private static String tierOf(Component component) {
        return component == Component.PROXY ? "node" : "control-plane";
    }

    private Asset open(String path, Object object) {
        return Asset.open(path, yaml.text(object));
    }

    private String file(String path) {
        String text = files.get(path);
        if (text == null) {
            throw new IllegalStateException("render did not make " + path);
        }
        return text;
    }

    private static String nameOf(Secret secret) {
        return secret.getMetadata().getName();
    }
}
