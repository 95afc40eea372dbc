package dev.ouroboros.keeper;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.EventRecorder;
import dev.ouroboros.api.LeaderLeases;
import dev.ouroboros.keeper.act.ActionPerformer;
import dev.ouroboros.keeper.act.ChangeActions;
import dev.ouroboros.keeper.act.Executor;
import dev.ouroboros.keeper.act.Images;
import dev.ouroboros.keeper.api.ChangeLease;
import dev.ouroboros.keeper.checkpoint.ChangeFile;
import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.keeper.checkpoint.StaticManifests;
import dev.ouroboros.keeper.decide.Keeper;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.KeeperState;
import dev.ouroboros.keeper.observe.LocalServers;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.NodeMemory;
import dev.ouroboros.keeper.observe.Observer;
import dev.ouroboros.keeper.observe.OtherServers;
import dev.ouroboros.keeper.observe.Signal;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.action.Lanes;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A keeper's parts, put together in one place: what a daemon runs on threads and sockets is what the simulator runs on events and
 * models.
 *
 * @param keeper decides
 * @param observer sees
 * @param executor acts
 * @param changed raised by whatever is a reason to decide again
 */
public record KeeperParts(
        Keeper keeper,
        Observer observer,
        Executor executor,
        Signal changed,
        NodeMemory memory,
        ClusterGuard guard,
        EventRecorder events,
        DecisionLog log) {
    /** Which keeper of which node, and where it finds and keeps things there. */
    public record Place(
            Observer.Identity identity,
            KeeperSettings settings,
            Path stateDirectory,
            Path manifestDirectory,
            Path podLogs) {
        /** Of the keeper alone; the rest of the state directory is shared with start. */
        public Path own() {
            return stateDirectory.resolve(StateLayout.KEEPER);
        }
    }

    /**
     * What differs between a real node and a modelled one.
     *
     * @param servers made from what is remembered of the node
     * @param frontInside command prefix that leads into the front's network namespace; empty for ours
     * @param startAtWork whether start holds its lock
     * @param succession of this node's keepers
     * @param lookouts made from the signal that ends a rest
     * @param clock for decisions; never jumps
     * @param wallClock for what people read
     */
    public record Surroundings(
            Api api,
            Function<NodeMemory, LocalServers> servers,
            Disk disk,
            Processes processes,
            Front front,
            List<String> frontInside,
            ContainerRuntime runtime,
            Images.Archive archive,
            ActionPerformer.PivotLeftovers leftovers,
            BooleanSupplier startAtWork,
            OtherServers otherServers,
            Succession succession,
            Function<Signal, Lookouts> lookouts,
            Lanes lanes,
            InstantSource clock,
            InstantSource wallClock) {
        public Surroundings {
            frontInside = List.copyOf(frontInside);
        }
    }

    /** @param end ends the keeper */
    public static KeeperParts of(Place place, Surroundings world, Runnable end) {
        String node = place.identity().nodeName();
        world.disk().createDirectories(place.own(), Disk.OWNER_ONLY_DIRECTORY);
        Signal changed = new Signal(world.clock());
        NodeMemory memory = new NodeMemory(world.disk(), place.own().resolve("state.json"));
        ClusterGuard guard = new ClusterGuard(world.api(), memory, world.clock());
        EventRecorder events = new EventRecorder(world.api(), guard, Component.KEEPER, node, world.wallClock());
        CheckpointStore store =
                new CheckpointStore(world.disk(), place.stateDirectory().resolve(StateLayout.CHECKPOINTS));
        StaticManifests manifests = new StaticManifests(world.disk(), place.manifestDirectory());
        ChangeFile changeFile = new ChangeFile(world.disk(), place.own().resolve("change.json"));
        ChangeLease lease = new ChangeLease(world.api(), guard, node, world.clock(), world.wallClock());
        LeaderLeases leaderLeases = new LeaderLeases(world.api());
        Observer observer = new Observer(
                place.identity(),
                new Observer.World(
                        world.api(),
                        guard,
                        memory,
                        world.runtime(),
                        world.servers().apply(memory),
                        world.front(),
                        world.frontInside(),
                        world.processes(),
                        world.disk(),
                        store,
                        manifests,
                        changeFile,
                        lease,
                        leaderLeases,
                        world.startAtWork(),
                        world.otherServers(),
                        world.succession()::successor,
                        place.stateDirectory(),
                        events,
                        world.wallClock()),
                world.lookouts().apply(changed),
                world.clock(),
                changed);
        Images images = new Images(world.runtime(), world.archive());
        PodLogs logs = new PodLogs(world.disk(), place.podLogs());
        ActionPerformer performer = new ActionPerformer(
                node,
                place.settings(),
                observer,
                new ActionPerformer.Tools(
                        world.front(),
                        store,
                        manifests,
                        images,
                        world.leftovers(),
                        world.api(),
                        guard,
                        events,
                        leaderLeases,
                        world.succession()::admit),
                world.wallClock(),
                new ChangeActions(
                        node,
                        observer,
                        new ChangeActions.Tools(world.api(), guard, lease, changeFile, logs, events),
                        world.wallClock()),
                end);
        DecisionLog log = new DecisionLog(world.wallClock());
        return new KeeperParts(
                new Keeper(place.settings()),
                observer,
                new Executor(performer, world.lanes(), log, changed::raise, world.clock()),
                changed,
                memory,
                guard,
                events,
                log);
    }

    /** What it knows when it begins. */
    public KeeperState initialState() {
        return KeeperState.initial(memory.podCheckpointer().orElse(false));
    }
}
