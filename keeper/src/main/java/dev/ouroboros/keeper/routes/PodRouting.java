package dev.ouroboros.keeper.routes;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.routes.decide.NodeAddresses;
import dev.ouroboros.keeper.routes.decide.PodRoutes;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.net.IpRoute;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.libc.RouteTable;
import dev.ouroboros.node.libc.SystemCallFailed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's routes to the pods of others, where the pods' network is ours: then there is a template of it on the node. Where a network add-on makes
 * it, there is none, and nothing is done. While the API is away everything stays as it is, also when this process ends.
 *
 * <p>A node on another network, behind a router, cannot be the next one on a way: that is said, and left to the router, or to an add-on.
 */
public final class PodRouting {
    private static final Logger LOG = LoggerFactory.getLogger(PodRouting.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final String node;
    private final PodNetwork network;
    private final Disk disk;
    private final RouteTable table;
    private final Reflector<NodeAddresses> nodes;
    private final AtomicReference<List<String>> troubles = new AtomicReference<>(List.of());

    /**
     * @param node name of this one
     * @param table of this node
     */
    public PodRouting(String node, PodNetwork network, Disk disk, RouteTable table, Api api, ClusterGuard guard) {
        this.node = node;
        this.network = network;
        this.disk = disk;
        this.table = table;
        this.nodes = new Reflector<>(
                "nodes", api, guard, ApiPath.core("nodes"), NodeAddresses::of, () -> {}, Reflector.Times.DEFAULT);
    }

    public void start(Lookouts lookouts) {
        lookouts.repeat("api-nodes", nodes::follow);
        lookouts.every("pod-routes", LOOK_EVERY, this::look);
    }

    private void look() {
        boolean ours = disk.status(network.template()).isPresent();
        List<String> found = switch (ours ? nodes.value() : Evidence.known(new TreeMap<String, NodeAddresses>())) {
            case Evidence.Known<? extends SortedMap<String, NodeAddresses>>(var known) -> change(known);
            case Evidence.Unknown<? extends SortedMap<String, NodeAddresses>>(String why) ->
                List.of("the Nodes are not known, routes stay as they are: " + why);
        };
        List<String> before = troubles.getAndSet(found);
        found.stream()
                .filter(trouble -> !before.contains(trouble))
                .forEach(trouble -> LOG.warn("component=pod-routes event=trouble reason=\"{}\"", trouble));
    }

    /** @return what stands against it */
    private List<String> change(SortedMap<String, NodeAddresses> known) {
        try {
            Optional<PodRoutes> settled =
                    table.gateways().flatMap(there -> PodRoutes.settled(node, network.blocks(), known, there));
            PodRoutes routes =
                    settled.isPresent() ? settled.get() : PodRoutes.of(node, network.blocks(), known, table.list());
            List<String> found = new ArrayList<>(routes.troubles());
            for (IpRoute route : routes.remove()) {
                table.remove(route);
                LOG.info("component=pod-routes event=removed route=\"{}\"", route);
            }
            for (IpRoute route : routes.add()) {
                switch (table.add(route)) {
                    case ADDED -> LOG.info("component=pod-routes event=added route=\"{}\"", route);
                    case TAKEN -> found.add("somebody else made a route to " + route.destination() + ", which stays");
                    case NOT_A_NEIGHBOUR ->
                        found.add("no route " + route
                                + ": that node is on another network; its router has to know, or a network add-on");
                }
            }
            return List.copyOf(found);
        } catch (SystemCallFailed e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    /** What is wrong, for {@code /state}. */
    public Json state() {
        return Json.object().with("troubles", Json.texts(troubles.get()));
    }
}
