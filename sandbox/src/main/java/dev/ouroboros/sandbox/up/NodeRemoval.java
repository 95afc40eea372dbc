package dev.ouroboros.sandbox.up;

import dev.ouroboros.cluster.ApiServers;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.NodeObjects;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxApi;
import dev.ouroboros.sandbox.SandboxEtcd;
import dev.ouroboros.sandbox.SandboxNode;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Takes a node out of a sandbox and out of its cluster. */
public final class NodeRemoval {
    /** The Service leaves it out at once, and its API server takes nothing new five seconds later: both take that long on slow machines. */
    private static final Duration LEAVES_WITHIN = Duration.ofMinutes(2);

    private final Sandbox sandbox;
    private final InstantSource time;
    private final Waiting waiting;

    public NodeRemoval(Sandbox sandbox, InstantSource time) {
        this.sandbox = sandbox;
        this.time = time;
        this.waiting = new Waiting(time);
    }

    /**
     * Takes it out of the control plane, so that nobody is led to its API server when its power goes, and cuts that before its Node object goes: its kubelet would
     * make it again. Its disk and record go last, so that who is killed in between can run this again.
     *
     * @throws ProblemException BAD_USAGE when it is the sandbox's first; API_UNAVAILABLE when nobody can be asked, COMPONENT_FAILED when no other API server
     *     is ready, and nothing is changed then; or when the Service goes on leading to it, which has lost its label then
     */
    public void run(SandboxNode node, Consumer<String> lines) {
        sandbox.exclusively(() -> {
            sandbox.requireRemovable(node);
            requireNoMember(node);
            Endpoint endpoint =
                    SandboxApi.endpoint(sandbox, other -> !other.name().equals(node.name()));
            try (ClusterClient client = ClusterClient.connect(endpoint)) {
                NodeObjects objects = new NodeObjects(client);
                if (node.running().isPresent() && (isNamed(node, objects) || SandboxApi.listens(node, endpoint))) {
                    requireAnother(node, endpoint);
                    leaveControlPlane(node, objects, () -> SandboxApi.listens(node, endpoint), lines);
                }
                sandbox.cutPower(List.of(node));
                if (objects.remove(node.name())) {
                    lines.accept("Node " + node.name() + " is removed from the cluster");
                }
            }
            sandbox.removeNode(node);
            lines.accept("node " + node.name() + " and its disk are removed");
            return true;
        });
    }

    /** What others count on may be a member whose node has no power, too. While the first node is off, what is on the node's own disk is believed. */
    private void requireNoMember(SandboxNode node) {
        if (sandbox.node().isEmpty() && node.running().isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE,
                    "node " + node.name(),
                    "whether it has a member of etcd is not known while the first node, which has the keys, is off",
                    "the first node with power",
                    "ouro node on " + sandbox.first().name() + ", and run the same command again");
        }
        boolean isMember = sandbox.node().isPresent()
                ? new EtcdClusterSource(SandboxEtcd.servers(sandbox))
                        .look().members().stream()
                                .flatMap(member -> member.peerUrls().stream())
                                .anyMatch(url -> node.requireAddress()
                                        .equals(URI.create(url).getHost()))
                : node.hasEtcd();
        if (isMember) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "node " + node.name(),
                    "is one with a member of etcd, which others count on",
                    "a node without etcd",
                    "where its disk is lost: ouro etcd remove " + node.name()
                            + "; else boot it, and have it leave: ouro exec " + node.name() + " -- ouro etcd leave");
        }
    }

    /** @throws ProblemException API_UNAVAILABLE when nobody says whether it serves, COMPONENT_FAILED when the Service goes on leading to it */
    private void leaveControlPlane(
            SandboxNode node, NodeObjects objects, BooleanSupplier listens, Consumer<String> lines) {
        objects.unlabel(node.name(), VersionFacts.nodeRoles());
        boolean ended = waiting.until(
                () -> objects.servers().is(named -> !named.contains(node.requireAddress())) && !listens.getAsBoolean(),
                LEAVES_WITHIN);
        if (!ended && isNamed(node, objects)) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    "node " + node.name(),
                    "the kubernetes Service still leads to it after " + LEAVES_WITHIN.toSeconds() + " s",
                    "no keeper that adds it again",
                    "see 'ouro explain --node " + node.name()
                            + "', and run the same command again; its label is gone, and"
                            + " 'kubectl label node' gives it back");
        }
        lines.accept("node " + node.name() + " is none of the control plane any more"
                + (ended ? "" : "; its API server has not ended, and does with its power"));
    }

    private void requireAnother(SandboxNode node, Endpoint endpoint) {
        try (ApiServers servers = ApiServers.of(endpoint, time)) {
            boolean isAnotherReady = servers.look().stream()
                    .filter(server ->
                            !server.server().address().getHostAddress().equals(node.requireAddress()))
                    .anyMatch(ApiServers.Seen::isProven);
            if (!isAnotherReady) {
                throw ProblemException.of(
                        ErrorCode.COMPONENT_FAILED,
                        "node " + node.name(),
                        "has the only API server that is ready",
                        "another one that is ready",
                        "see 'ouro endpoints --name " + sandbox.name() + "', and run the same command again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, "node " + node.name(), "interrupted", "", "run the same command again");
        }
    }

    private boolean isNamed(SandboxNode node, NodeObjects objects) {
        return switch (objects.servers()) {
            case Evidence.Known<Set<String>>(Set<String> named) -> named.contains(node.requireAddress());
            case Evidence.Unknown<Set<String>>(String why) ->
                throw ProblemException.of(
                        ErrorCode.API_UNAVAILABLE,
                        "node " + node.name(),
                        "whether clients are led to it is not known: " + why,
                        "an API server that answers",
                        "see 'ouro status --name " + sandbox.name() + "', and run the same command again");
        };
    }
}
