package dev.ouroboros.keeper;

import dev.ouroboros.api.ApiClient;
import dev.ouroboros.keeper.act.Images;
import dev.ouroboros.keeper.act.StartLeftovers;
import dev.ouroboros.keeper.balancer.NodeBalancer;
import dev.ouroboros.keeper.balancer.ServerProbes;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.ChangeStatus;
import dev.ouroboros.keeper.decide.Decision;
import dev.ouroboros.keeper.decide.KeeperState;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.decide.Status;
import dev.ouroboros.keeper.kubelet.KubeletKeeping;
import dev.ouroboros.keeper.observe.LookoutThreads;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.LoopbackServers;
import dev.ouroboros.keeper.observe.Observer;
import dev.ouroboros.keeper.observe.OtherServers;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.keeper.report.Metrics;
import dev.ouroboros.keeper.report.StateView;
import dev.ouroboros.keeper.report.StatusServer;
import dev.ouroboros.keeper.routes.PodRouting;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.node.action.LaneThreads;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Balancer;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.libc.RouteTable;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.runtime.ContainerRuntime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One keeper: looks, decides, acts, until it is told to end.
 *
 * <pre>
 * sources --> Observation --.
 * (own threads)             |--> Keeper.decide --> Decision --> Executor --> disk, front, API
 * KeeperState (memory) -----'    (decide, pure)    actions      (lanes)
 * </pre>
 *
 * <p>While another keeper acts, this one looks on: it decides as well, and performs nothing of what it decides.
 *
 * <p>One thread decides; sources and actions have their own and wake it. Nothing has to be written down before an action: what is
 * on disk, in the kernel and in the API says where things stand, and a keeper that begins anew reads that.
 */
public final class Daemon implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
    /** So that a burst of events costs one decision. */
    private static final Duration BREATH = Duration.ofMillis(20);

    /** Sources without which a keeper knows too little to act. */
    public static final Set<String> ON_THE_NODE = Set.of("checkpoints", "front", "manifests", "runtime", "start");
    /** How soon a keeper notices that the one that acted has ended. */
    private static final Duration LOOK_ON_EVERY = Duration.ofMillis(200);

    private static final Duration UNHEALTHY_AFTER = Duration.ofSeconds(30);
    /**
     * How often memory is given back. The heap grows while images and checkpoints are saved, and a serial collector makes it smaller
     * only at a full collection, which a keeper at rest never needs. One takes some 10 ms.
     */
    private static final Duration GIVE_BACK_EVERY = Duration.ofMinutes(1);

    private final KeeperOptions options;
    private final InstantSource clock;
    private final Standstill standstill;
    private final InstantSource wallClock;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicLong decisionCount = new AtomicLong();
    private final AtomicReference<Moment> last;
    private final ApiClient client;
    private final KeeperParts parts;
    private final Succession succession;
    private final AtomicReference<Optional<StatusServer>> status = new AtomicReference<>(Optional.empty());
    private final Lookouts helpers;
    private final Optional<PodRouting> routing;
    private final Optional<KubeletKeeping> kubelet;
    private final AtomicReference<Optional<NodeBalancer>> balancer = new AtomicReference<>(Optional.empty());

    /** The last decision, for those who ask. */
    private record Moment(Observation seen, Map<ComponentName, Status> components, ChangeStatus change, Instant at) {}

    /**
     * What a keeper works with.
     *
     * @param frontInside command prefix that leads into the network namespace of front and balancer; empty for ours
     */
    public record Surroundings(
            Disk disk,
            Processes processes,
            Front front,
            Balancer balancer,
            RouteTable routes,
            List<String> frontInside,
            ContainerRuntime runtime,
            Images.Archive archive) {
        public Surroundings {
            frontInside = List.copyOf(frontInside);
        }
    }

    /**
     * @param succession closed by the caller
     * @param clock for decisions; never jumps
     * @param wallClock for what people read
     */
    public Daemon(
            KeeperOptions options,
            Surroundings world,
            Succession succession,
            InstantSource clock,
            InstantSource wallClock) {
        this.options = options;
        this.succession = succession;
        this.clock = clock;
        this.wallClock = wallClock;
        this.last = new AtomicReference<>(new Moment(
                Observation.nothing(options.staticCopy(), "not looked yet"),
                new TreeMap<>(),
                ChangeStatus.NONE,
                clock.instant()));
        this.client =
                new ApiClient(world.disk(), options.kubeconfig(), Optional.of(options.server()), Component.KEEPER.id());
        this.parts = KeeperParts.of(
                new KeeperParts.Place(
                        new Observer.Identity(options.nodeName(), options.nodeAddress(), options.staticCopy()),
                        options.settings(),
                        options.stateDirectory(),
                        options.manifestDirectory(),
                        options.podLogs()),
                new KeeperParts.Surroundings(
                        client,
                        memory -> new LoopbackServers(world.front().spec(), client, memory::clusterId, clock),
                        world.disk(),
                        world.processes(),
                        world.front(),
                        world.frontInside(),
                        world.runtime(),
                        world.archive(),
                        new StartLeftovers(world.disk(), options.stateDirectory(), options.bootstrapSecrets()),
                        () -> ExclusiveLock.isHeld(options.stateDirectory().resolve(StateLayout.LOCK)),
                        new OtherServers(
                                this::readyServers,
                                () -> ofBalancer(NodeBalancer::unreadyOthers),
                                () -> ofBalancer(NodeBalancer::awayOthers)),
                        succession,
                        LookoutThreads::new,
                        LaneThreads.ofDaemon(),
                        clock,
                        wallClock),
                this::end);
        this.balancer.set(Optional.of(balancer(world)));
        this.routing = options.podNetwork()
                .map(network -> new PodRouting(
                        options.nodeName(), network, world.disk(), world.routes(), client, parts.guard()));
        this.kubelet = options.kubelet()
                .map(directory -> new KubeletKeeping(
                        options.nodeName(),
                        directory,
                        world.disk(),
                        client,
                        parts.guard(),
                        parts.observer()::nodeVersion,
                        parts.events(),
                        wallClock));
        this.helpers = new LookoutThreads(parts.changed());
        this.standstill = new Standstill(clock.instant());
    }

    private Evidence<Integer> readyServers() {
        return balancer.get()
                .map(NodeBalancer::readyOthers)
                .orElseGet(() -> Evidence.unknown("the API servers of other nodes were not looked at yet"));
    }

    private Set<String> ofBalancer(Function<NodeBalancer, Set<String>> addresses) {
        return balancer.get().map(addresses).orElse(Set.of());
    }

    private NodeBalancer balancer(Surroundings world) {
        FrontSpec front = world.front().spec();
        ServerAddress here = new ServerAddress(front.nodeAddresses().getFirst(), front.principalPort());
        return NodeBalancer.of(
                world.balancer(),
                world.disk(),
                options.stateDirectory().resolve(StateLayout.KEEPER),
                new TreeSet<>(Set.of(here)),
                new ServerProbes(client::endpoint, clock),
                NodeBalancer.Surroundings.ofControlPlane(front, parts.observer(), client::reconnect),
                clock,
                wallClock);
    }

    /** Where it answers probes; empty until it acts. */
    public OptionalInt healthPort() {
        return status.get().stream().mapToInt(StatusServer::port).findFirst();
    }

    /** Asks it to end soon: after what is being decided now. */
    public void end() {
        ended.set(true);
        parts.changed().raise();
    }

    /** Looks on while another keeper acts, then acts, until it is told to end. */
    public void run() throws InterruptedException {
        parts.observer().start();
        KeeperState state = lookOn(parts.initialState());
        if (ended.get()) {
            return;
        }
        LOG.info("component=keeper event=begins staticCopy={} server={}", options.staticCopy(), options.server());
        // The keeper that acted before had the port.
        status.set(Optional.of(new StatusServer(options.healthPort(), pages())));
        helpers.follow("events", parts.events()::run);
        balancer.get().ifPresent(made -> made.start(helpers, parts.observer().tables()));
        routing.ifPresent(made -> made.start(helpers));
        kubelet.ifPresent(kept -> kept.start(helpers));
        helpers.every("memory", GIVE_BACK_EVERY, System::gc);
        while (!ended.get()) {
            parts.changed().await(parts.changed().tick());
            Thread.sleep(BREATH);
            state = decide(state, parts.executor()::take);
        }
        LOG.info("component=keeper event=ends");
    }

    private KeeperState lookOn(KeeperState initial) throws InterruptedException {
        KeeperState state = initial;
        if (succession.begin()) {
            return state;
        }
        LOG.info("component=keeper event=looks-on staticCopy={}", options.staticCopy());
        while (!ended.get() && !succession.begin()) {
            parts.changed().await(LOOK_ON_EVERY);
            state = decide(state, (_, _) -> {});
            if (blind().isEmpty()) {
                succession.tellThatItDecides();
            }
        }
        return state;
    }

    /** A defect in one decision must not end the keeper: the next one sees another world. */
    private KeeperState decide(KeeperState state, BiConsumer<List<Decision.Planned>, Instant> act) {
        try {
            Instant begun = clock.instant();
            Observation seen = parts.observer().observe();
            Instant now = clock.instant();
            Decision decision = parts.keeper().decide(seen, standstill.awaken(state, now), now);
            decisionCount.incrementAndGet();
            noteMoves(decision);
            last.set(new Moment(seen, decision.components(), decision.change(), clock.instant()));
            act.accept(standstill.looksOn() ? List.of() : decision.actions(), begun);
            return decision.state();
        } catch (RuntimeException e) {
            LOG.error("component=keeper event=defect reason=\"{}\"", e.toString(), e);
            return state;
        }
    }

    private void noteMoves(Decision decision) {
        ChangeStatus change = decision.change();
        if (change.step() != last.get().change().step()) {
            LOG.info(
                    "component=keeper event=change step={} before={} revision={} message=\"{}\"",
                    change.step(),
                    last.get().change().step(),
                    change.revision().map(Revision::digest).orElse("none"),
                    change.message());
        }
        Map<ComponentName, Status> before = last.get().components();
        decision.components().forEach((name, now) -> {
            Status then = before.get(name);
            if (then == null || then.condition() != now.condition()) {
                LOG.info(
                        "component={} event=condition condition={} before={} waitsFor=\"{}\"",
                        name,
                        now.condition(),
                        then == null ? "none" : then.condition(),
                        now.waitsFor());
            }
        });
    }

    private StatusServer.Pages pages() {
        Metrics metrics = new Metrics(
                parts.log(),
                () -> last.get().components(),
                () -> last.get().change().step(),
                this::sources,
                new Metrics.Readings(
                        decisionCount::get,
                        this::sinceLastDecision,
                        client::requests,
                        parts.events()::dropped,
                        () -> parts.guard().sawForeignCluster() ? 1 : 0,
                        () -> options.staticCopy() ? 1 : 0));
        return new StatusServer.Pages(
                this::unhealthy,
                () -> unhealthy().or(this::blind),
                metrics::text,
                () -> JsonText.write(state()),
                () -> JsonText.write(parts.log().toJson()));
    }

    private double sinceLastDecision() {
        return Duration.between(last.get().at(), clock.instant()).toMillis() / 1000.0;
    }

    private Optional<String> unhealthy() {
        return sinceLastDecision() > UNHEALTHY_AFTER.toSeconds()
                ? Optional.of("has not decided for " + Math.round(sinceLastDecision()) + " s")
                : Optional.empty();
    }

    /** What the keeper does not see on the node itself. The API may be away: a keeper is there for that. */
    private Optional<String> blind() {
        List<String> unknown = sources().entrySet().stream()
                .filter(source -> !source.getValue() && ON_THE_NODE.contains(source.getKey()))
                .map(Map.Entry::getKey)
                .toList();
        return unknown.isEmpty() ? Optional.empty() : Optional.of("does not see: " + String.join(", ", unknown));
    }

    private SortedMap<String, Boolean> sources() {
        SortedMap<String, Boolean> known = new TreeMap<>();
        parts.observer().sources().forEach((source, evidence) -> known.put(source, evidence instanceof Evidence.Known));
        return known;
    }

    private Json state() {
        Moment moment = last.get();
        Map<String, String> failing = new TreeMap<>();
        for (Map.Entry<Action, String> failure : parts.executor().failing().entrySet()) {
            failing.put(DecisionLog.describe(failure.getKey()), failure.getValue());
        }
        Json.Fields seen = StateView.of(
                options.nodeName(),
                moment.seen(),
                moment.components(),
                new StateView.Troubles(
                        parts.observer().unknown(),
                        parts.observer().unverified(),
                        failing,
                        parts.observer().problems()),
                moment.change(),
                moment.at(),
                wallClock.instant());
        Json.Fields routed =
                routing.map(made -> seen.with("podRoutes", made.state())).orElse(seen);
        Json.Fields state =
                kubelet.map(kept -> routed.with("kubelet", kept.state())).orElse(routed);
        return balancer.get().map(made -> state.with("balancer", made.state())).orElse(state);
    }

    /** Ends without taking anything back: leases run out, and the next keeper reads where things stand. */
    @Override
    public void close() {
        ended.set(true);
        parts.executor().close();
        parts.observer().close();
        helpers.close();
        status.get().ifPresent(StatusServer::close);
        client.close();
    }
}
