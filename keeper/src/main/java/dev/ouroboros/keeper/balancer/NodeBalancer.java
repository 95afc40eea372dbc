package dev.ouroboros.keeper.balancer;

import dev.ouroboros.keeper.balancer.decide.Balance;
import dev.ouroboros.keeper.balancer.decide.BalancerMemory;
import dev.ouroboros.keeper.balancer.decide.Balancing;
import dev.ouroboros.keeper.balancer.decide.OwnServer;
import dev.ouroboros.keeper.balancer.decide.ServersSeen;
import dev.ouroboros.keeper.balancer.decide.Standing;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.Observer;
import dev.ouroboros.keeper.observe.TableMonitor;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.BalancerState;
import dev.ouroboros.model.front.BalancerTable;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Balancer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a node's {@link Balancer}: looks at the API servers, decides by {@link Balancing}, deals. What is dealt is a lease, renewed every
 * few seconds: without a keeper every connection goes where it wants again.
 *
 * <p>On the only control-plane node of a cluster there is nothing to deal, and no table.
 */
public final class NodeBalancer {
    private static final Logger LOG = LoggerFactory.getLogger(NodeBalancer.class);

    /** Longer than a keeper takes to be replaced. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final Duration RENEW_EVERY = Duration.ofSeconds(10);
    private static final Duration CHECK_EVERY = Duration.ofSeconds(30);
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    private final Balancer balancer;
    private final KnownServers known;
    private final RemoteServers remote;
    private final Surroundings world;
    private final InstantSource clock;

    private BalancerMemory memory = BalancerMemory.NONE;
    private Optional<Balance> last = Optional.empty();
    private Deal dealt = Deal.none();
    private Instant renewed = Instant.MIN;
    private Instant checked = Instant.MIN;
    private boolean whole;
    private Optional<String> trouble = Optional.empty();
    private final SortedSet<ServerAddress> toEnd = new TreeSet<>();
    private final AtomicReference<Instant> looked;
    private final AtomicReference<Published> published = new AtomicReference<>(new Published(
            Evidence.unknown("the API servers of other nodes were not looked at yet"),
            Set.of(),
            Set.of(),
            Optional.empty(),
            Json.absent()));

    /** What others may ask for while a look waits for the kernel or the disk. */
    private record Published(
            Evidence<Integer> readyOthers,
            Set<String> unreadyOthers,
            Set<String> awayOthers,
            Optional<String> trouble,
            Json state) {}

    /**
     * What it goes by.
     *
     * @param own the server of this node, if it is one of the control plane
     * @param named the servers that the API names
     * @param services at which clients reach the API as well
     * @param reconnect cuts this process's own connections: clients of a server that is lost wait for it
     */
    public record Surroundings(
            Supplier<Optional<OwnServer>> own,
            Supplier<Evidence<SortedSet<ServerAddress>>> named,
            SortedSet<ServerAddress> services,
            Runnable reconnect) {
        /** Of a control-plane node: as its keeper sees it. */
        public static Surroundings ofControlPlane(FrontSpec front, Observer observer, Runnable reconnect) {
            return new Surroundings(
                    () -> Optional.of(ownServer(front, observer)),
                    observer::namedServers,
                    front.services().stream()
                            .map(ServiceAddress::server)
                            .collect(Collectors.toCollection(TreeSet::new)),
                    reconnect);
        }

        private static OwnServer ownServer(FrontSpec front, Observer observer) {
            InetAddress address = front.nodeAddresses().getFirst();
            return new OwnServer(
                    new ServerAddress(address, front.principalPort()),
                    new ServerAddress(address, front.understudyPort()),
                    observer.health(Server.PRINCIPAL),
                    observer.health(Server.UNDERSTUDY),
                    observer.lead());
        }
    }

    /** What is known of servers on this machine's disk, and how they are asked. */
    NodeBalancer(
            Balancer balancer,
            KnownServers known,
            Function<ServerAddress, RemoteProbe> probes,
            Surroundings world,
            InstantSource clock) {
        this.balancer = balancer;
        this.known = known;
        this.remote = new RemoteServers(probes, this::look);
        this.world = world;
        this.clock = clock;
        this.looked = new AtomicReference<>(clock.instant());
    }

    /**
     * One that keeps what it knows of servers on this node's disk.
     *
     * @param directory of the keeper
     * @param seeds where servers are said to be by this node's configuration
     * @param probes makes what asks a server
     */
    public static NodeBalancer of(
            Balancer balancer,
            Disk disk,
            Path directory,
            SortedSet<ServerAddress> seeds,
            Function<ServerAddress, RemoteProbe> probes,
            Surroundings world,
            InstantSource clock,
            InstantSource wallClock) {
        return new NodeBalancer(
                balancer,
                new KnownServers(disk, directory.resolve("servers.json"), seeds, wallClock),
                probes,
                world,
                clock);
    }

    /** Begins to look and to deal: only in the process that acts on this node. */
    public void start(Lookouts lookouts, TableMonitor tables) {
        tables.onRemoval(BalancerTable.NAME, this::tableChanged);
        remote.start(lookouts);
        lookouts.every("balancer", LOOK_EVERY, this::look);
    }

    private synchronized void tableChanged() {
        checked = Instant.MIN;
        look();
    }

    /** Looks, decides and deals. */
    synchronized void look() {
        looked.set(clock.instant());
        if (world.named().get() instanceof Evidence.Known<SortedSet<ServerAddress>>(SortedSet<ServerAddress> named)) {
            known.learn(named);
        }
        ServersSeen seen = new ServersSeen(
                known.members(),
                known.lastResorts(),
                remote.health(),
                world.own().get(),
                world.services());
        Balance now = Balancing.decide(seen, memory, clock.instant());
        memory = now.memory();
        ask(seen, now);
        note(now);
        boolean oneIsLost = last.filter(before ->
                        !now.deal().servers().containsAll(before.deal().servers()))
                .isPresent();
        last = Optional.of(now);
        deal(now.deal());
        if (oneIsLost) {
            world.reconnect().run();
        }
        endConnections();
        Set<String> unready = seen.own().filter(OwnServer::isReady).isPresent()
                ? addresses(
                        seen.others().stream().filter(member -> now.standings().get(member) != Standing.READY))
                : Set.of();
        Set<String> away = addresses(now.lost(clock.instant()).stream());
        published.set(new Published(countOthers(now), unready, away, trouble, describe()));
    }

    /** Who left is asked only when nobody else is ready. */
    private void ask(ServersSeen seen, Balance now) {
        SortedSet<ServerAddress> wanted = new TreeSet<>(seen.others());
        boolean someoneServes =
                seen.others().stream().anyMatch(member -> now.standings().get(member) == Standing.READY);
        if (!someoneServes && seen.own().filter(OwnServer::isReady).isEmpty()) {
            wanted.addAll(seen.lastResorts());
        }
        remote.want(wanted);
    }

    private void note(Balance now) {
        boolean isNew = last.filter(before ->
                        before.deal().equals(now.deal()) && before.standings().equals(now.standings()))
                .isEmpty();
        if (isNew && !now.standings().isEmpty()) {
            LOG.info(
                    "component=balancer event=deal servers={} dead={} standings={} reason=\"{}\"",
                    now.deal().servers(),
                    now.deal().dead(),
                    now.standings(),
                    now.reason());
        }
    }

    private void deal(Deal deal) {
        Instant now = clock.instant();
        if (deal.equals(Deal.none()) && dealt.equals(Deal.none())) {
            return;
        }
        try {
            if (!now.isBefore(checked.plus(CHECK_EVERY))) {
                check();
                checked = now;
            }
            if (deal.equals(dealt) && whole && now.isBefore(renewed.plus(RENEW_EVERY))) {
                return;
            }
            balancer.deal(deal, LEASE);
            SortedSet<ServerAddress> gone = new TreeSet<>(deal.dead());
            gone.removeAll(dealt.dead());
            gone.removeAll(deal.doors());
            toEnd.addAll(gone);
            toEnd.retainAll(deal.dead());
            dealt = deal;
            renewed = now;
            whole = true;
            trouble = Optional.empty();
        } catch (ProblemException e) {
            say(e.describe());
        }
    }

    /** What could not be ended is tried again with the next look, as long as it is dead. */
    private void endConnections() {
        for (ServerAddress address : List.copyOf(toEnd)) {
            try {
                balancer.endConnections(address);
                toEnd.remove(address);
            } catch (ProblemException e) {
                say(e.describe());
            }
        }
    }

    private void say(String what) {
        if (!trouble.equals(Optional.of(what))) {
            LOG.warn("component=balancer event=trouble reason=\"{}\"", what);
        }
        trouble = Optional.of(what);
    }

    private void check() {
        switch (balancer.read()) {
            case BalancerState.Installed _, BalancerState.Unknown _ -> {}
            case BalancerState.NotInstalled _, BalancerState.Damaged _, BalancerState.Foreign _ -> {
                whole = false;
                balancer.install();
            }
        }
    }

    /**
     * How many API servers of other nodes are ready, as each says itself. That none is, is known when each is known to be gone, or has said for longer than an election takes that it is
     * not, while this node's own one is: in an election of etcd's none says so for a moment.
     */
    public Evidence<Integer> readyOthers() {
        return published.get().readyOthers();
    }

    private static Set<String> addresses(Stream<ServerAddress> servers) {
        return servers.map(server -> server.address().getHostAddress()).collect(Collectors.toUnmodifiableSet());
    }

    /** Addresses of API servers of other nodes that are not known to be ready, while this node's own one is. */
    public Set<String> unreadyOthers() {
        return published.get().unreadyOthers();
    }

    /** Addresses of API servers of other nodes at which nobody has answered for a minute. */
    public Set<String> awayOthers() {
        return published.get().awayOthers();
    }

    private Evidence<Integer> countOthers(Balance now) {
        if (!known.wereNamed()) {
            return Evidence.unknown("the API has not named its servers yet");
        }
        List<Standing> others = known.members().stream()
                .flatMap(member -> Optional.ofNullable(now.standings().get(member)).stream())
                .toList();
        int ready = (int) others.stream().filter(Standing.READY::equals).count();
        boolean mayServe = others.stream().anyMatch(Standing::mayServe);
        return ready == 0 && mayServe && !now.othersRefuse(clock.instant())
                ? Evidence.unknown("no other API server is ready, and some may serve")
                : Evidence.known(ready);
    }

    /** Why it is not at work at all; asked without waiting for it. */
    public Optional<String> stuck() {
        Duration since = Duration.between(looked.get(), clock.instant());
        return since.compareTo(STUCK_AFTER) > 0
                ? Optional.of("has not looked at the API servers for " + since.toSeconds() + " s")
                : Optional.empty();
    }

    /** Why it does not deal, although it should. */
    public Optional<String> trouble() {
        return published.get().trouble();
    }

    /** For {@code /state}. */
    public Json state() {
        return published.get().state();
    }

    private Json describe() {
        Json.Fields standings = Json.object();
        for (Map.Entry<ServerAddress, Standing> standing :
                last.map(Balance::standings).orElseGet(TreeMap::new).entrySet()) {
            standings = standings.with(
                    standing.getKey().toString(), Json.text(standing.getValue().word()));
        }
        return Json.object()
                .with("servers", servers(dealt.servers()))
                .with("dead", servers(dealt.dead()))
                .with("doors", servers(dealt.doors()))
                .with("others", standings)
                .with("reason", Json.text(last.map(Balance::reason).orElse("")))
                .with("trouble", trouble.<Json>map(Json::text).orElseGet(Json::absent));
    }

    private static Json servers(SortedSet<ServerAddress> servers) {
        return Json.texts(servers.stream().map(ServerAddress::toString).toList());
    }
}
