package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.api.SourcePorts;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.BalancerTable;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * The API servers of a cluster, for a load balancer or a person who sends clients to them from outside. The {@code kubernetes} Service tells which
 * there are. Each is asked itself, with the cluster's authority, so that a server of another cluster at one of the addresses is not taken for one of
 * them.
 *
 * <p>While no API answers, the servers that were known before are kept. On a node of the cluster the requests leave from ports that the balancer's
 * rules do not touch.
 */
public final class ApiServers implements AutoCloseable {
    /** The other servers are not to wait for one that is lost. */
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(2);

    /** Ports whose connections the balancer's rules do not touch. */
    static final SourcePorts PORTS = SourcePorts.between(BalancerTable.FIRST_PROBE_PORT, BalancerTable.LAST_PROBE_PORT);

    private static final String ENDPOINTS = "the endpoints of the kubernetes Service";

    private final ClusterClient client;
    private final Function<ServerAddress, ServerProbe> probes;
    private final Function<ServerAddress, ClusterClient> others;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SortedMap<ServerAddress, Asked> asked = new TreeMap<>();
    private SortedMap<ServerAddress, String> nodes = new TreeMap<>();

    /**
     * An API server.
     *
     * @param node whose address it has; empty when that is not known
     * @param health as the server itself says; unknown when there were no credentials to ask with
     */
    public record Seen(ServerAddress server, Optional<String> node, Evidence<Health> health) {
        /** Whether clients may be sent to this server. */
        public boolean isProven() {
            return Health.isReady(health);
        }
    }

    private static final class Asked {
        private final ServerProbe probe;
        private Evidence<Health> health = Evidence.unknown("was not asked yet");

        Asked(ServerProbe probe) {
            this.probe = probe;
        }

        Evidence<Health> ask() {
            try {
                health = Evidence.known(probe.probe(health.orElse(new Health.NotListening())));
            } catch (ApiException e) {
                health = Evidence.unknown(String.valueOf(e.getMessage()));
            }
            return health;
        }
    }

    /**
     * @param client of any server of the cluster
     * @param probes makes the probe of one server
     * @param others makes the client that asks another server for the list of servers
     */
    ApiServers(
            ClusterClient client,
            Function<ServerAddress, ServerProbe> probes,
            Function<ServerAddress, ClusterClient> others) {
        this.client = client;
        this.probes = probes;
        this.others = others;
    }

    /** @param endpoint any server of the cluster, with the credentials to ask with */
    public static ApiServers of(Endpoint endpoint, InstantSource clock) {
        ClusterClient client = ClusterClient.connect(endpoint, ANSWERS_WITHIN);
        return new ApiServers(
                client,
                server -> ServerProbe.ofMany(
                        new InetSocketAddress(server.address(), server.port()), PORTS, () -> endpoint, clock),
                client::of);
    }

    /**
     * Asks which servers there are, and probes each.
     *
     * @return in the order of their addresses
     * @throws ProblemException API_UNAVAILABLE, API_REFUSED when no API tells which servers there are, and none ever did
     */
    public List<Seen> look() throws InterruptedException {
        Evidence<SortedSet<ServerAddress>> named = whoThereIs();
        if (named instanceof Evidence.Known<SortedSet<ServerAddress>>(SortedSet<ServerAddress> now) && !now.isEmpty()) {
            want(now);
        } else if (asked.isEmpty()) {
            want(client.asking(ENDPOINTS, () -> saidBy(client)));
        }
        if (asked.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE,
                    ENDPOINTS,
                    "there are none",
                    "an API server that serves is among them",
                    "see ouro status; a cluster that has just begun has some in a moment");
        }
        List<Callable<Seen>> questions = new ArrayList<>();
        asked.forEach((server, one) ->
                questions.add(() -> new Seen(server, Optional.ofNullable(nodes.get(server)), one.ask())));
        List<Seen> seen = new ArrayList<>();
        for (Future<Seen> answer : threads.invokeAll(questions)) {
            try {
                seen.add(answer.get());
            } catch (ExecutionException e) {
                throw new IllegalStateException("a probe does not throw", e.getCause());
            }
        }
        return seen;
    }

    /** The list of servers as a server that was proven before tells it, for when the given one does not answer: that may be gone for good. */
    private Evidence<SortedSet<ServerAddress>> whoThereIs() {
        Evidence<SortedSet<ServerAddress>> said = client.looking(ENDPOINTS, () -> saidBy(client));
        if (said instanceof Evidence.Known<SortedSet<ServerAddress>> || !client.isOfTheClusterItself()) {
            return said;
        }
        return asked.entrySet().stream()
                .filter(one -> Health.isReady(one.getValue().health))
                .map(one -> namedByOther(one.getKey()))
                .filter(answer -> answer.is(_ -> true))
                .findFirst()
                .orElse(said);
    }

    private Evidence<SortedSet<ServerAddress>> namedByOther(ServerAddress server) {
        try (ClusterClient other = others.apply(server)) {
            return other.looking(ENDPOINTS, () -> saidBy(other));
        }
    }

    private SortedSet<ServerAddress> saidBy(ClusterClient by) throws ApiException {
        SortedSet<ServerAddress> servers = namedBy(by);
        if (!nodes.keySet().containsAll(servers)) {
            nodes = by.looking("the nodes", () -> nodesOf(servers, by)).orElse(nodes);
        }
        return servers;
    }

    /** The servers that the {@code kubernetes} Service names; none when it has no endpoints. */
    private static SortedSet<ServerAddress> namedBy(ClusterClient client) throws ApiException {
        Json endpoints = client.api().get(KubernetesServiceEndpoints.endpointsOnly());
        SortedSet<ServerAddress> servers = new TreeSet<>();
        for (Json object : endpoints.at("items").items()) {
            servers.addAll(ServiceEndpoints.serversIn(object.at("subsets")));
        }
        return servers;
    }

    /** The servers that the API names; unknown when it does not answer. */
    public static Evidence<SortedSet<ServerAddress>> named(ClusterClient client) {
        return client.looking(ENDPOINTS, () -> namedBy(client));
    }

    private static SortedMap<ServerAddress, String> nodesOf(SortedSet<ServerAddress> servers, ClusterClient by)
            throws ApiException {
        SortedMap<ServerAddress, String> names = new TreeMap<>();
        for (Json node : by.api().get(ApiPath.core("nodes")).at("items").items()) {
            for (Json address : node.at("status", "addresses").items()) {
                String text = address.at("address").text().orElse("");
                servers.stream()
                        .filter(server ->
                                ServerAddress.parse(text, server.port()).equals(Optional.of(server)))
                        .forEach(server -> names.put(
                                server, node.at("metadata", "name").text().orElse("")));
            }
        }
        return names;
    }

    private void want(SortedSet<ServerAddress> servers) {
        for (ServerAddress former : new TreeSet<>(asked.keySet())) {
            if (!servers.contains(former)) {
                Optional.ofNullable(asked.remove(former)).ifPresent(left -> left.probe.close());
            }
        }
        servers.forEach(server -> asked.computeIfAbsent(server, added -> new Asked(probes.apply(added))));
    }

    @Override
    public void close() {
        threads.shutdownNow();
        asked.values().forEach(one -> one.probe.close());
        client.close();
    }
}
