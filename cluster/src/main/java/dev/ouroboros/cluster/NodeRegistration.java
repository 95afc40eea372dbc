package dev.ouroboros.cluster;

import dev.ouroboros.api.Api.Grace;
import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.NodeCidrs;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.NodeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The Node object of one machine and the labels that make it a control-plane node. A kubelet may not give itself a
 * {@code node-role.kubernetes.io/} label (NodeRestriction admission), so somebody with the right to has to.
 */
public final class NodeRegistration {
    private static final ApiPath NODES = ApiPath.core("nodes");

    private final ClusterClient client;
    private final String nodeName;
    private final Set<String> labels;
    private final NodeCidrs cidrs;
    private final FormerLife former;

    /**
     * @param labels keys of the control-plane labels, whose value is empty
     * @param former tells which Nodes of other machines count as gone, whatever their status says
     * @param cidrs how nodes get their pod addresses: a CNI plugin may need them before a controller manager assigns them
     */
    public NodeRegistration(
            ClusterClient client, String nodeName, Set<String> labels, NodeCidrs cidrs, FormerLife former) {
        this.client = client;
        this.nodeName = nodeName;
        this.labels = Set.copyOf(labels);
        this.cidrs = cidrs;
        this.former = former;
    }

    public String name() {
        return nodeName;
    }

    public Evidence<NodeView> observe() {
        return client.looking("Node " + nodeName, () -> {
            List<Json> all = client.api().get(NODES).at("items").items();
            Optional<Json> own = all.stream().filter(this::isOwn).findFirst();
            List<String> others = all.stream()
                    .filter(node -> !isOwn(node) && isControlPlane(node) && !isGone(node))
                    .map(Metadata::name)
                    .sorted()
                    .toList();
            return new NodeView(own.isPresent(), own.filter(this::isAdmitted).isPresent(), others);
        });
    }

    /** Follows the collections that {@link #observe} reads. Of a Node its status is not kept: a kubelet writes it all the time. */
    public void follow(FollowedCollections followed) {
        followed.follow("nodes", NODES, node -> List.of(isControlPlane(node), isAdmitted(node)));
    }

    /** Whether the Node is gone, or is being deleted and only a finalizer keeps it. */
    private boolean isGone(Json node) {
        return former.includes(node)
                || !node.at("metadata", "deletionTimestamp").isNull();
    }

    private boolean isOwn(Json node) {
        return Metadata.name(node).equals(nodeName);
    }

    private boolean isControlPlane(Json node) {
        return labels.stream().anyMatch(Metadata.labels(node)::containsKey);
    }

    private boolean isAdmitted(Json node) {
        return Metadata.labels(node).keySet().containsAll(labels) && !needsCidr(node);
    }

    private boolean needsCidr(Json node) {
        return !cidrs.ranges().isEmpty() && node.at("spec", "podCIDR").isNull();
    }

    /**
     * Deletes the Nodes of other control-plane machines of the former life, whose etcd is gone: if anything runs there, it is of that life too.
     *
     * @return their names
     * @throws ProblemException API_UNAVAILABLE when the server cannot be asked
     */
    public List<String> deleteFormer() {
        List<String> deleted = new ArrayList<>();
        client.changing("control-plane Nodes from before the restore", () -> {
            for (Json node : client.api().get(NODES).at("items").items()) {
                if (!isOwn(node) && isControlPlane(node) && former.includes(node)) {
                    client.deleteIfThere(NODES.named(Metadata.name(node)), Metadata.uid(node), Grace.NONE);
                    deleted.add(Metadata.name(node));
                }
            }
        });
        return List.copyOf(deleted);
    }

    /**
     * Adds the labels to the Node, which must exist, and gives it pod addresses that no other has; everything else stays.
     *
     * @throws ProblemException API_REFUSED when no pod addresses are left
     */
    public void admit() {
        Json.Fields wanted = Json.object();
        for (String label : new TreeSet<>(labels)) {
            wanted = wanted.with(label, Json.text(""));
        }
        Json.Fields patch = Json.object().with("metadata", Json.object().with("labels", wanted));
        client.changing("admit Node " + nodeName, () -> {
            List<Json> all = client.api().get(NODES).at("items").items();
            boolean needsCidr = all.stream().filter(this::isOwn).anyMatch(this::needsCidr);
            client.api()
                    .patch(
                            NODES.named(nodeName),
                            PatchType.MERGE,
                            needsCidr ? patch.with("spec", podCidrs(freeBlocks(all))) : patch);
        });
    }

    private static Json podCidrs(List<Cidr> blocks) {
        List<String> texts = blocks.stream().map(Cidr::toString).toList();
        return Json.object().with("podCIDR", Json.text(texts.getFirst())).with("podCIDRs", Json.texts(texts));
    }

    private List<Cidr> freeBlocks(List<Json> nodes) {
        List<Cidr> taken = nodes.stream()
                .flatMap(node -> node.at("spec", "podCIDRs").items().stream())
                .flatMap(block -> block.text().stream())
                .map(Cidr::parse)
                .toList();
        return cidrs.next(taken)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.API_REFUSED,
                        "Node " + nodeName,
                        "no pod addresses are left of " + cidrs.ranges(),
                        "a block for each node",
                        "give the cluster a larger pod CIDR"));
    }
}
