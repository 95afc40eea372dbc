package dev.ouroboros.keeper.agent;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.KubeletIdentitySource;
import dev.ouroboros.api.KubernetesServiceEndpoints;
import dev.ouroboros.api.Reflector;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.keeper.balancer.NodeBalancer;
import dev.ouroboros.keeper.balancer.ServerProbes;
import dev.ouroboros.keeper.kubelet.KubeletKeeping;
import dev.ouroboros.keeper.observe.LookoutThreads;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.NodeMemory;
import dev.ouroboros.keeper.observe.NodeWatch;
import dev.ouroboros.keeper.observe.Signal;
import dev.ouroboros.keeper.observe.TableMonitor;
import dev.ouroboros.keeper.routes.PodRouting;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.NodeAgentObjects;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Balancer;
import dev.ouroboros.node.http.PageServer;
import dev.ouroboros.node.http.PageServer.Page;
import dev.ouroboros.node.libc.RouteTable;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One agent: keeps the {@link NodeBalancer} of a node without an API server of its own, until it is told to end. It leaves the table behind:
 * what is dealt runs out by itself, and the next agent takes it up.
 *
 * <p>As of the keeper, there are two of it on a node, of which one acts ({@link Succession}): the DaemonSet's pod, and a {@link StaticCopy} for a
 * kubelet that finds no API server.
 */
public final class NodeAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeAgent.class);
    /** As the keeper does: a serial collector makes the heap smaller at a full collection only. */
    private static final Duration GIVE_BACK_EVERY = Duration.ofMinutes(1);

    private static final Duration LOOK_ON_EVERY = Duration.ofSeconds(1);

    private final NodeAgentOptions options;
    private final Succession succession;
    private final ApiClient client;
    private final Reflector<Json> endpoints;
    private final NodeBalancer balancer;
    private final Optional<PodRouting> routing;
    private final Optional<EventRecorder> events;
    private final Optional<NodeWatch> node;
    private final Optional<KubeletKeeping> kubelet;
    private final CopyKeeper copy;
    private final TableMonitor tables;
    private final Lookouts lookouts;
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * @param succession closed by the caller
     * @param clock for decisions; never jumps
     * @param wallClock for what outlives the process
     */
    public NodeAgent(
            NodeAgentOptions options,
            Disk disk,
            Processes processes,
            Balancer balancer,
            RouteTable routes,
            Succession succession,
            InstantSource clock,
            InstantSource wallClock) {
        this.options = options;
        this.succession = succession;
        this.client = new ApiClient(disk, options.kubeconfig(), Optional.empty(), Component.NODE_AGENT.id());
        Signal changed = new Signal(clock);
        this.lookouts = new LookoutThreads(changed);
        this.tables = new TableMonitor(processes, List.of());
        ClusterGuard guard = new ClusterGuard(
                client, new NodeMemory(disk, options.directory().resolve("state.json")), clock);
        this.endpoints = new Reflector<>(
                "endpoints",
                client,
                guard,
                KubernetesServiceEndpoints.endpointsOnly(),
                object -> object.at("subsets"),
                changed::raise,
                Reflector.Times.DEFAULT);
        this.balancer = NodeBalancer.of(
                balancer,
                disk,
                options.directory(),
                seeds(),
                new ServerProbes(client::endpoint, clock),
                new NodeBalancer.Surroundings(Optional::empty, this::named, options.services(), client::reconnect),
                clock,
                wallClock);
        this.routing = options.podNetwork()
                .map(network -> new PodRouting(options.nodeName(), network, disk, routes, client, guard));
        Optional<ApiClient> asKubelet = options.kubelet()
                .map(files -> new ApiClient(
                        new KubeletIdentitySource(disk, options.kubeconfig(), files.certificate()),
                        Component.NODE_AGENT.id()));
        this.events = asKubelet.map(
                api -> new EventRecorder(api, guard, Component.NODE_AGENT, options.nodeName(), wallClock));
        this.node = asKubelet.map(api -> new NodeWatch(api, guard, options.nodeName(), () -> {}));
        this.kubelet = options.kubelet()
                .map(files -> new KubeletKeeping(
                        options.nodeName(),
                        files.directory(),
                        disk,
                        asKubelet.orElseThrow(),
                        guard,
                        node.orElseThrow()::resourceVersion,
                        events.orElseThrow(),
                        wallClock));
        this.copy =
                new CopyKeeper(options, copyOnDisk(disk), succession, client, guard, this::areNamed, this::end, clock);
    }

    /** The static copy can remove itself, and has nothing to write itself from. */
    private Optional<StaticCopy> copyOnDisk(Disk disk) {
        Optional<Path> source = options.staticCopy()
                ? Optional.of(options.manifests().resolve(NodeAgentObjects.STATIC_MANIFEST))
                : options.staticPod();
        return source.map(manifest ->
                new StaticCopy(disk, manifest, options.kubeconfig(), options.manifests(), options.directory()));
    }

    private boolean areNamed() {
        return named().is(servers -> !servers.isEmpty());
    }

    /** Where the kubeconfig says that the API is; nowhere while that cannot be read, or is no address. */
    private SortedSet<ServerAddress> seeds() {
        SortedSet<ServerAddress> seeds = new TreeSet<>();
        try {
            Endpoint endpoint = client.endpoint();
            ServerAddress.parse(
                            endpoint.address().getHostString(),
                            endpoint.address().getPort())
                    .ifPresent(seed -> seeds.add(seed));
        } catch (ApiException e) {
            LOG.warn("component=node-agent event=no-seed reason=\"{}\"", e.getMessage());
        }
        return seeds;
    }

    private Evidence<SortedSet<ServerAddress>> named() {
        return endpoints.value().map(NodeAgent::servers);
    }

    private static SortedSet<ServerAddress> servers(SortedMap<String, Json> endpoints) {
        SortedSet<ServerAddress> servers = new TreeSet<>();
        endpoints.values().forEach(subsets -> servers.addAll(ServiceEndpoints.serversIn(subsets)));
        return servers;
    }

    /** Looks on while another agent acts, then acts, until it is told to end. */
    public void run() throws InterruptedException {
        lookouts.repeat("api-endpoints", endpoints::follow);
        if (!begin()) {
            return;
        }
        LOG.info("component=node-agent event=begins staticCopy={}", options.staticCopy());
        try (PageServer _ = PageServer.inSuccession("node-agent", options.healthPort(), pages())) {
            balancer.start(lookouts, tables);
            tables.start(lookouts);
            routing.ifPresent(started -> started.start(lookouts));
            events.ifPresent(recorder -> lookouts.follow("events", recorder::run));
            node.ifPresent(watch -> lookouts.repeat("node", watch::follow));
            kubelet.ifPresent(kept -> kept.start(lookouts));
            copy.start(lookouts);
            lookouts.every("memory", GIVE_BACK_EVERY, System::gc);
            ended.await();
        }
    }

    /** Whether it acts; not when it was told to end before. */
    private boolean begin() throws InterruptedException {
        boolean told = false;
        while (!told && !succession.begin()) {
            if (areNamed()) {
                succession.tellThatItDecides();
            }
            told = ended.await(LOOK_ON_EVERY.toMillis(), TimeUnit.MILLISECONDS);
        }
        return !told;
    }

    private Map<String, Supplier<Page>> pages() {
        return Map.of(
                "/healthz", () -> Page.check(balancer.stuck()),
                "/readyz", () -> Page.check(balancer.trouble().or(balancer::stuck)),
                "/state", () -> Page.json(JsonText.write(state())));
    }

    private Json state() {
        Json.Fields state =
                Json.object().with("node", Json.text(options.nodeName())).with("balancer", balancer.state());
        Json.Fields routed =
                routing.map(made -> state.with("podRoutes", made.state())).orElse(state);
        return kubelet.map(kept -> routed.with("kubelet", kept.state())).orElse(routed);
    }

    /** Tells it to end. */
    public void end() {
        ended.countDown();
    }

    @Override
    public void close() {
        lookouts.close();
    }
}
