package dev.ouroboros.etcd.membership;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.decide.EtcdMemberCopy;
import dev.ouroboros.etcd.membership.MemberAdditionWork.NewMember;
import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.InternalAddresses;
import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.cluster.AlternativeName;
import java.net.InetAddress;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What forbids a node to get a member of an etcd, of what the node's Node and etcd say before anything is done. */
final class MemberAdditionPreflight {
    /** The kubelet tells of no more images (nodeStatusMaxImages). */
    private static final int IMAGES_TOLD = 50;

    private static final ApiPath NODES = ApiPath.core("nodes");

    private final ClusterClient client;
    private final EtcdCluster cluster;

    MemberAdditionPreflight(ClusterClient client, EtcdCluster cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    /**
     * A node that may get one.
     *
     * @param registered when its Node was
     */
    record Admitted(NewMember member, Instant registered) {}

    /**
     * Requires that the node may get a member.
     *
     * @throws ProblemException with what forbids it
     */
    Admitted require(String node, EtcdMemberCopy copy, String image) {
        requireLearners(node);
        requireOneVersion();
        List<Json> nodes =
                client.asking("Nodes", () -> client.api().get(NODES).at("items").items());
        Json object = nodes.stream()
                .filter(each -> nameOf(each).equals(node))
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "Node " + node,
                        "does not exist",
                        "one of "
                                + nodes.stream()
                                        .map(MemberAdditionPreflight::nameOf)
                                        .toList(),
                        "see kubectl get nodes"));
        requireControlPlane(object);
        requireImage(object, image);
        InetAddress address = address(object, copy);
        requireOwnAddress(nodes, object, address);
        requireOwnPlace(node, address, copy.peerUrls(address));
        Instant registered =
                Instant.parse(object.at("metadata", "creationTimestamp").text().orElse(Instant.EPOCH.toString()));
        return new Admitted(new NewMember(node, address, copy, names(node, address)), registered);
    }

    /** An older etcd would take a learner for a voter. */
    private void requireLearners(String node) {
        for (EtcdMember member : cluster.voters()) {
            if (member.name().equals(node)) {
                // It votes already, and is waited for.
                continue;
            }
            Optional<KubernetesVersion> version =
                    cluster.statusOf(member) instanceof Evidence.Known<EtcdMemberStatus>(EtcdMemberStatus known)
                            ? KubernetesVersion.parse(known.version())
                            : Optional.empty();
            if (version.filter(new EtcdTools()::hasLearners).isEmpty()) {
                throw ProblemException.of(
                        ErrorCode.UNSUPPORTED_CLUSTER,
                        "member " + member.title(),
                        version.map(known -> "is of " + known + ", which has no learners")
                                .orElse("does not answer"),
                        "a member that answers, of 3.4 or later",
                        "see ouro etcd status");
            }
        }
    }

    private void requireOneVersion() {
        List<String> versions = cluster.statuses().values().stream()
                .flatMap(status -> status instanceof Evidence.Known<EtcdMemberStatus>(EtcdMemberStatus known)
                        ? Stream.of(known.version())
                        : Stream.of())
                .distinct()
                .sorted()
                .toList();
        if (versions.size() > 1) {
            throw refused(
                    "etcd",
                    "has members of " + String.join(" and ", versions),
                    "members of one version",
                    "change the others first: ouro etcd change, on their nodes");
        }
    }

    private static String nameOf(Json object) {
        return object.at("metadata", "name").text().orElse("");
    }

    private static ProblemException refused(String where, String what, String expected, String next) {
        return ProblemException.of(ErrorCode.CHANGE_REFUSED, where, what, expected, next);
    }

    private static void requireControlPlane(Json node) {
        Json labels = node.at("metadata", "labels");
        if (VersionFacts.nodeRoles().stream().allMatch(role -> labels.at(role).isNull())) {
            throw refused(
                    "Node " + nameOf(node),
                    "is none of the control plane",
                    "a node with an API server",
                    "label it first (docs/nodes.md), or name another one");
        }
        if (!NodeObjects.isReady(node)) {
            throw refused(
                    "Node " + nameOf(node),
                    "is not ready",
                    "a node that runs",
                    "see kubectl describe node " + nameOf(node));
        }
    }

    private static void requireImage(Json node, String image) {
        List<Json> images = node.at("status", "images").items();
        boolean isTold = images.stream()
                .flatMap(each -> each.at("names").items().stream())
                .anyMatch(name ->
                        name.text().filter(text -> isSameImage(text, image)).isPresent());
        if (!isTold && images.size() < IMAGES_TOLD) {
            throw ProblemException.of(
                    ErrorCode.UNUSABLE_IMAGE,
                    "Node " + nameOf(node),
                    "has no image " + image,
                    "one that is there before a member is waited for",
                    "pull or load it there first: ouro images load");
        }
    }

    /** The runtime may put the registry before a short name. */
    private static boolean isSameImage(String told, String wanted) {
        return told.equals(wanted) || told.endsWith("/" + wanted);
    }

    private static InetAddress address(Json node, EtcdMemberCopy copy) {
        return InternalAddresses.of(node)
                .flatMap(literal -> Cidr.address(literal).stream())
                .filter(copy::isOfItsFamily)
                .findFirst()
                .orElseThrow(() -> refused(
                        "Node " + nameOf(node),
                        "has no InternalIP of the family that etcd's members have",
                        "an address at which the other members reach it",
                        "give its kubelet one with --node-ip"));
    }

    /** A certificate for the address of another node would be one for its member. */
    private static void requireOwnAddress(List<Json> nodes, Json node, InetAddress address) {
        nodes.stream()
                .filter(other -> !nameOf(other).equals(nameOf(node)))
                .filter(other -> InternalAddresses.of(other)
                        .flatMap(literal -> Cidr.address(literal).stream())
                        .anyMatch(address::equals))
                .findFirst()
                .ifPresent(other -> {
                    throw refused(
                            "Node " + nameOf(node),
                            "says that it is at " + address.getHostAddress() + ", as Node " + nameOf(other) + " does",
                            "an address of its own",
                            "see kubectl get nodes -o wide");
                });
    }

    private void requireOwnPlace(String name, InetAddress address, List<String> peerUrls) {
        cluster.members().stream()
                .filter(MembershipSource.at(peerUrls).negate())
                .filter(member -> member.name().equals(name) || isAt(member, address))
                .findFirst()
                .ifPresent(member -> {
                    throw refused(
                            "etcd",
                            "has a member " + member.title() + " at " + String.join(", ", member.peerUrls())
                                    + ", and the node's would be " + name + " at " + String.join(", ", peerUrls),
                            "none of the node's name or address",
                            "if its machine was lost: ouro etcd remove " + member.id());
                });
    }

    private static boolean isAt(EtcdMember member, InetAddress address) {
        return Stream.concat(member.peerUrls().stream(), member.clientUrls().stream())
                .map(url -> String.valueOf(URI.create(url).getHost()))
                .flatMap(host -> AlternativeName.ofHost(host).stream())
                .anyMatch(new AlternativeName.Ip(address)::equals);
    }

    /** A kubelet writes its addresses itself: only the one that was compared with those of others is signed. */
    private static List<AlternativeName> names(String node, InetAddress address) {
        return Stream.concat(
                        Stream.of(new AlternativeName.Ip(address)),
                        Stream.of(node, "localhost", "127.0.0.1", "::1")
                                .flatMap(host -> AlternativeName.ofHost(host).stream()))
                .toList();
    }
}
