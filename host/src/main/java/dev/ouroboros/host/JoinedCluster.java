package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostSettings.Role;
import dev.ouroboros.host.decide.NodePool;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.JoiningObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.cluster.ClusterSpec;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.manifest.Kubeconfigs;
import dev.ouroboros.render.manifest.Yaml;
import java.net.InetAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster that lives, as it told a machine that joins it.
 *
 * @param apiServer that the kubelet is to dial
 * @param authority of the cluster, in PEM
 * @param token to join with
 * @param dns address of the cluster's DNS
 * @param clusterDomain of its names
 * @param images that no registry has, and every node needs
 * @param podNetwork whether its pods have our network; false where an add-on of its makes it
 * @param clusterBlocks addresses that exist within the cluster alone
 * @param pool what it wants of this machine
 */
public record JoinedCluster(
        URI apiServer,
        String authority,
        BootstrapToken token,
        InetAddress dns,
        String clusterDomain,
        SortedSet<String> images,
        boolean podNetwork,
        List<String> clusterBlocks,
        NodePool pool)
        implements HostSource, NodeCluster {
    /** Name of the kubeconfig's one cluster, user and context: the format wants a name. */
    private static final String NAME = "kubernetes";

    public JoinedCluster {
        clusterBlocks = List.copyOf(clusterBlocks);
    }

    /**
     * Reads what a cluster has written down for machines that join.
     *
     * @param pool name of the pool that the machine is to be of
     * @param data of the ConfigMap {@value JoiningObjects#NAME}
     * @throws ProblemException with everything that is wrong in it
     */
    static JoinedCluster of(
            URI apiServer, String authority, BootstrapToken token, String pool, Map<String, String> data) {
        List<Problem> problems = new ArrayList<>();
        String where = "ConfigMap kube-system/" + JoiningObjects.NAME + ", " + JoiningObjects.CLUSTER;
        Json cluster = ManifestFile.read(data.getOrDefault(JoiningObjects.CLUSTER, ""), where).stream()
                .findFirst()
                .<Json>map(ManifestFile.Document::value)
                .orElse(Json.absent());
        Optional<InetAddress> dns = cluster.at("clusterDNS").text().flatMap(JoinedCluster::address);
        if (dns.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.INVALID_CONFIG,
                    where + ": clusterDNS",
                    "is missing, or no address",
                    "the address of the cluster's DNS",
                    "mend it: kubectl -n kube-system edit configmap " + JoiningObjects.NAME));
        }
        NodePool wanted = NodePool.of(pool, data, problems);
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return new JoinedCluster(
                apiServer,
                authority,
                token,
                dns.orElseThrow(),
                cluster.at("clusterDomain").text().orElse(ClusterSpec.CLUSTER_DOMAIN),
                cluster.at("images").items().stream()
                        .flatMap(image -> image.text().stream())
                        .collect(Collectors.toCollection(TreeSet::new)),
                !cluster.at("podNetwork").equals(Json.bool(false)),
                Stream.of("podCIDR", "serviceCIDR")
                        .flatMap(field -> cluster.at(field).text().stream())
                        .toList(),
                wanted);
    }

    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public Role role() {
        return Role.WORKER;
    }

    @Override
    public String where() {
        return apiServer.toString();
    }

    @Override
    public Optional<URI> server() {
        return Optional.of(apiServer);
    }

    @Override
    public Optional<InetAddress> clusterDns() {
        return Optional.of(dns);
    }

    @Override
    public Map<String, String> texts() {
        return Map.of(
                AssetLayout.CA_CERTIFICATE,
                authority,
                AssetLayout.KUBELET_KUBECONFIG,
                new Yaml()
                        .text(new Kubeconfigs(NAME, apiServer.toString(), authority)
                                .withToken("kubelet-bootstrap", token.value())));
    }
}
