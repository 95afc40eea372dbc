package dev.ouroboros.keeper.routes.decide;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * What is to be done so that this node's pods and those of others reach each other: the pods of each other node by that node. Routes of other makers are left alone.
 *
 * <p>A kubelet writes into its own Node which addresses its pods have, and NodeRestriction does not keep it from that: so a node gets no more than what is of the cluster's block of pods and
 * no older Node's. Else one could have every other node send it what is for somebody else.
 *
 * @param add to be made
 * @param remove of ours, that lead elsewhere, or to nodes that are no more; before the others are added
 * @param troubles why there is no route of ours to some pods
 */
public record PodRoutes(List<IpRoute> add, List<IpRoute> remove, List<String> troubles) {
    public PodRoutes {
        add = List.copyOf(add);
        remove = List.copyOf(remove);
        troubles = List.copyOf(troubles);
    }

    /**
     * Compares.
     *
     * @param self name of this node
     * @param cluster blocks of all pods
     * @param nodes all that there are; none when this node's pods have another network
     * @param there all routes that this node has
     */
    public static PodRoutes of(
            String self, List<Cidr> cluster, SortedMap<String, NodeAddresses> nodes, List<IpRoute> there) {
        List<String> troubles = new ArrayList<>();
        Map<Cidr, IpRoute> wanted = wanted(self, cluster, nodes, troubles);
        there.stream()
                .filter(route -> !isOurs(route) && wanted.remove(route.destination()) != null)
                .forEach(route -> troubles.add("somebody else made a route to " + route + ", which stays"));
        return new PodRoutes(
                wanted.values().stream().filter(route -> !there.contains(route)).toList(),
                there.stream()
                        .filter(PodRoutes::isOurs)
                        .filter(route -> !wanted.containsValue(route))
                        .toList(),
                troubles);
    }

    /**
     * What is to be done where nothing is, as far as a look at gateways tells.
     *
     * @param there routes with a gateway, whoever made them
     * @return empty unless exactly what is wanted leads to the cluster's pods
     */
    public static Optional<PodRoutes> settled(
            String self, List<Cidr> cluster, SortedMap<String, NodeAddresses> nodes, List<GatewayRoute> there) {
        List<String> troubles = new ArrayList<>();
        Set<GatewayRoute> wanted = wanted(self, cluster, nodes, troubles).values().stream()
                .map(route ->
                        new GatewayRoute(route.destination(), route.gateway().orElseThrow()))
                .collect(Collectors.toSet());
        Set<GatewayRoute> toPods = there.stream()
                .filter(route -> cluster.stream().anyMatch(all -> all.overlaps(route.destination())))
                .collect(Collectors.toSet());
        return wanted.equals(toPods) ? Optional.of(new PodRoutes(List.of(), List.of(), troubles)) : Optional.empty();
    }

    private static Map<Cidr, IpRoute> wanted(
            String self, List<Cidr> cluster, SortedMap<String, NodeAddresses> nodes, List<String> troubles) {
        Map<Cidr, String> owners = new LinkedHashMap<>();
        Map<Cidr, IpRoute> wanted = new LinkedHashMap<>();
        for (String name : oldestFirst(self, nodes)) {
            NodeAddresses node = nodes.getOrDefault(name, NodeAddresses.NONE);
            for (Cidr block : node.pods()) {
                Optional<String> refusal = refusal(block, cluster, owners);
                Optional<InetAddress> gateway = node.ownOfFamily(block);
                if (refusal.isPresent()) {
                    troubles.add("no route to the pods of " + name + ", " + block + ": " + refusal.get());
                } else if (gateway.isEmpty() && !name.equals(self)) {
                    troubles.add("no route to the pods of " + name + ", " + block
                            + ": its Node has no InternalIP of that family");
                } else {
                    owners.put(block, name);
                    gateway.filter(_ -> !name.equals(self))
                            .ifPresent(address ->
                                    wanted.put(block, new IpRoute(block, Optional.of(address), IpRoute.OF_PODS)));
                }
            }
        }
        return wanted;
    }

    private static Optional<String> refusal(Cidr block, List<Cidr> cluster, Map<Cidr, String> owners) {
        if (cluster.stream().noneMatch(all -> all.contains(block.network()) && all.prefix() <= block.prefix())) {
            return Optional.of("that is not within the cluster's block of pods");
        }
        return owners.entrySet().stream()
                .filter(owner -> owner.getKey().overlaps(block))
                .findFirst()
                .map(owner -> "Node " + owner.getValue() + " has " + owner.getKey());
    }

    /** This node before all. */
    private static List<String> oldestFirst(String self, SortedMap<String, NodeAddresses> nodes) {
        return nodes.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, NodeAddresses> node) ->
                                !node.getKey().equals(self))
                        .thenComparing(node -> node.getValue().created())
                        .thenComparing(Map.Entry::getKey))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean isOurs(IpRoute route) {
        return route.protocol() == IpRoute.OF_PODS;
    }
}
