package dev.ouroboros.host;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.JoinDiscovery;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.facts.SkewRule;
import dev.ouroboros.host.decide.HostFiles;
import dev.ouroboros.host.decide.HostSettings;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.render.manifest.BootstrapToken;
import dev.ouroboros.render.pki.Pem;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lets a host join a cluster that lives: what it learns of the cluster before, whether the cluster takes it, and when it is a node. */
public final class HostJoin {
    private static final String KUBECONFIG = HostFiles.KUBELET_ROOT + "/kubeconfig";
    /** The client certificate that the kubelet's kubeconfig names. A kubelet writes the kubeconfig first. */
    private static final String CERTIFICATE = HostFiles.KUBELET_ROOT + "/pki/kubelet-client-current.pem";

    /** The controller manager calls a Node unknown after 40 s without a word of its kubelet (node-monitor-grace-period), and a machine may just have been booted. */
    private static final Duration SILENT_NODE_IS_READY_FOR = Duration.ofSeconds(60);

    private final HostTree tree;
    private final JoinDiscovery discovery;
    private final BootstrapToken token;
    private final InstantSource time;

    public HostJoin(HostTree tree, JoinDiscovery discovery, BootstrapToken token, InstantSource time) {
        this.tree = tree;
        this.discovery = discovery;
        this.token = token;
        this.time = time;
    }

    /**
     * What the cluster is like.
     *
     * @param pool name of the pool that this host is to be of
     * @throws ProblemException API_REFUSED for a token that is not known, NOT_FOUND where there is no such pool, INVALID_CONFIG for what is wrong in
     * it
     */
    public JoinedCluster cluster(String pool) {
        return JoinedCluster.of(discovery.server(), Pem.of(discovery.authority()), token, pool, discovery.settings());
    }

    /** Version of the cluster's API server; empty when what the server says is no version. */
    public Optional<KubernetesVersion> version() {
        return KubernetesVersion.parse(discovery.serverVersion());
    }

    /** @throws ProblemException with what stands against this host's joining, as far as only the cluster knows it */
    public void requireWelcome(HostSettings settings) {
        List<Problem> problems = new ArrayList<>();
        version().flatMap(server -> skew(settings.version(), server)).ifPresent(problems::add);
        discovery
                .node(settings.nodeName())
                .flatMap(node -> taken(settings, node))
                .ifPresent(problems::add);
        new HostInspection(tree, tree.record())
                .otherCluster(List.of(discovery.authority()))
                .ifPresent(problems::add);
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private static Optional<Problem> skew(KubernetesVersion kubelet, KubernetesVersion server) {
        return SkewPolicy.load().rules().stream()
                .filter(rule -> rule.component().equals(Component.KUBELET.id())
                        && rule.than().equals(Component.API_SERVER.id()))
                .filter(rule -> !rule.allows(kubelet, server))
                .findFirst()
                .map(rule -> tooFar(rule, kubelet, server));
    }

    private static Problem tooFar(SkewRule rule, KubernetesVersion kubelet, KubernetesVersion server) {
        return new Problem(
                ErrorCode.UNSUPPORTED_VERSION,
                "kubelet " + kubelet.tag(),
                "does not go with the cluster's API server, which is " + server.tag(),
                rule.limit(),
                "give the cluster's version: --kubernetes-version " + server.number()
                        + ", --binaries DIR or a --bundle of it");
    }

    /** What is wrong where the cluster has a Node of this name: it is another machine's, unless both have one machine id. */
    private Optional<Problem> taken(HostSettings settings, Json node) {
        Optional<String> theirs = node.at("status", "nodeInfo", "machineID").text();
        Optional<String> ours = tree.disk().readText(tree.at("/etc/machine-id")).map(String::strip);
        if (theirs.isPresent() && theirs.equals(ours)) {
            return cloned(settings);
        }
        return Optional.of(new Problem(
                ErrorCode.CHANGE_REFUSED,
                "Node " + settings.nodeName(),
                "there is one of this name, of another machine (machine id " + theirs.orElse("not known") + ", here "
                        + ours.orElse("none") + ")",
                "a name of its own for each machine",
                "say another with --node-name; or, if that machine is gone for good or was set up anew: kubectl delete node "
                        + settings.nodeName()));
    }

    /**
     * What is wrong where another machine has this name and this machine id, as two have that were copied from one disk: one Node would be both of
     * them. A machine that only booted again has them too; its Node stops being ready.
     */
    private Optional<Problem> cloned(HostSettings settings) {
        String ours = bootId();
        boolean isAlone = ours.isEmpty()
                || new Waiting(time).until(() -> readyAs(settings, ours).isEmpty(), SILENT_NODE_IS_READY_FOR);
        Optional<String> theirs = isAlone ? Optional.empty() : readyAs(settings, ours);
        if (theirs.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Problem(
                ErrorCode.CHANGE_REFUSED,
                "Node " + settings.nodeName(),
                "a machine with this name and this machine id is ready, and it is not this one as it runs now (boot id "
                        + theirs.get() + ", here " + ours + ")",
                "a machine id and a name of its own for each machine",
                "if this machine was copied from that one: ouro host reset --delete-data, rm /etc/machine-id, systemd-machine-id-setup,"
                        + " and say another --node-name;"
                        + " if it is the same, and no controller manager runs that would find it silent: kubectl delete node "
                        + settings.nodeName()));
    }

    /**
     * The boot id of the machine that the Node stands for while the Node is ready; empty when it is not ready, or when that is this machine as it
     * runs now.
     */
    private Optional<String> readyAs(HostSettings settings, String ours) {
        return discovery
                .node(settings.nodeName())
                .filter(NodeObjects::isReady)
                .flatMap(node -> node.at("status", "nodeInfo", "bootID").text())
                .filter(theirs -> !theirs.equals(ours));
    }

    private String bootId() {
        return tree.disk()
                .readText(tree.at("/proc/sys/kernel/random/boot_id"))
                .orElse("")
                .strip();
    }

    /**
     * Waits until the host is a node, and ready where its pods get a network from us.
     *
     * @throws ProblemException COMPONENT_FAILED when that takes longer than the limit
     */
    public void await(HostSettings settings, Duration limit) {
        Waiting waiting = new Waiting(time);
        boolean joined = waiting.until(
                () -> tree.disk().readText(tree.at(CERTIFICATE)).isPresent()
                        && tree.disk().status(tree.at(KUBECONFIG)).isPresent(),
                limit);
        String name = settings.nodeName();
        if (!joined) {
            throw failed(
                    name,
                    "its kubelet got no certificate within " + limit.toSeconds() + " s",
                    "see journalctl -u kubelet here, and kubectl get csr in the cluster, whose controller manager signs; then run this again");
        }
        String bootId = bootId();
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(tree.at(KUBECONFIG), Optional.empty()))) {
            NodeObjects nodes = new NodeObjects(client);
            boolean ready = waiting.until(
                    () -> settings.podNetwork()
                            ? nodes.whyNotReady(name, bootId).is(Optional::isEmpty)
                            : nodes.hasRegistered(name, bootId),
                    limit);
            if (!ready) {
                throw failed(
                        name,
                        "is not ready after " + limit.toSeconds() + " s: "
                                + NodeObjects.describe(nodes.whyNotReady(name, bootId)),
                        "see journalctl -u kubelet here; then run this again, with a longer --timeout if this machine is slow");
            }
        }
    }

    private static ProblemException failed(String node, String what, String next) {
        return ProblemException.of(ErrorCode.COMPONENT_FAILED, "Node " + node, what, "", next);
    }
}
