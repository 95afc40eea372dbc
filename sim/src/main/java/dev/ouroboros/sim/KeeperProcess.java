package dev.ouroboros.sim;

import dev.ouroboros.api.Api;
import dev.ouroboros.keeper.Daemon;
import dev.ouroboros.keeper.KeeperParts;
import dev.ouroboros.keeper.Standstill;
import dev.ouroboros.keeper.act.Images;
import dev.ouroboros.keeper.balancer.NodeBalancer;
import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.Condition;
import dev.ouroboros.keeper.decide.Decision;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.KeeperState;
import dev.ouroboros.keeper.decide.Observation;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.keeper.observe.Lookouts;
import dev.ouroboros.keeper.observe.Observer;
import dev.ouroboros.keeper.observe.OtherServers;
import dev.ouroboros.keeper.observe.Signal;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.keeper.succession.Succession;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One keeper at work: everything that {@link dev.ouroboros.keeper.Daemon} makes of the production classes, with threads replaced by events
 * of the timeline, sockets by models. It decides as often as the daemon does, also while it only looks on.
 */
final class KeeperProcess {
    static final Path STATE = Path.of(StateLayout.DIRECTORY);
    static final Path MEMORY = STATE.resolve(StateLayout.KEEPER).resolve("state.json");
    static final Path CHECKPOINTS = STATE.resolve(StateLayout.CHECKPOINTS);

    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration TURN = Duration.ofSeconds(1);

    private final Machine machine;
    private final Program program;
    private final boolean staticCopy;
    private final Chance chance;
    private final EventTimeline.Life life = new EventTimeline.Life();
    private final KeeperParts parts;
    private final Optional<NodeBalancer> balancer;
    private final boolean looksOn;
    private boolean acts;
    private final Standstill standstill;
    private KeeperState state;
    private Instant lastDecision;
    private Set<Action> wanted = Set.of();
    private final Map<ComponentName, Condition> conditions = new TreeMap<>();

    /** @param looksOn whether another keeper acts */
    KeeperProcess(Machine machine, Program program, boolean looksOn, Chance chance) {
        this.looksOn = looksOn;
        this.machine = machine;
        this.program = program;
        this.staticCopy = program.isStatic;
        this.chance = chance;
        Distortion distortion = machine.distortion();
        KeeperSettings settings = distortion.settings(machine.settings());
        Disk disk = distortion.disk(machine.disk());
        Api api = distortion.api(new ApiModel(machine, chance.split()));
        this.parts = KeeperParts.of(
                new KeeperParts.Place(
                        new Observer.Identity(machine.name(), machine.address().getHostAddress(), staticCopy),
                        settings,
                        STATE,
                        Kubelet.MANIFESTS,
                        Path.of("/var/log/pods")),
                new KeeperParts.Surroundings(
                        api,
                        _ -> distortion.servers(machine.servers()),
                        disk,
                        new NoProcesses(),
                        machine.front(),
                        List.of(),
                        machine.runtime(),
                        new NoArchive(),
                        machine.startFiles()::finish,
                        machine.starts()::isAtWork,
                        machine.cluster().hasSeveral()
                                ? new OtherServers(
                                        this::otherServers,
                                        () -> ofBalancer(NodeBalancer::unreadyOthers),
                                        () -> ofBalancer(NodeBalancer::awayOthers))
                                : new OtherServers(() -> Evidence.known(0), Set::of, Set::of),
                        new LocksOfTheMachine(),
                        Turns::new,
                        new DelayedLanes(
                                machine,
                                life,
                                lane -> lane.equals("checkpoints") ? chance.millis(50, 3000) : chance.millis(5, 400)),
                        machine.timeline(),
                        machine::wallClock),
                this::end);
        this.balancer = machine.cluster().hasSeveral() ? Optional.of(balancer(api, disk)) : Optional.empty();
        this.state = parts.initialState();
        this.standstill = new Standstill(machine.now());
        this.lastDecision = machine.now();
    }

    void begin() {
        machine.say("keeper", (looksOn ? "looks on" : "begins") + (staticCopy ? " as static copy" : " as pod"));
        acts = !looksOn;
        parts.observer().start();
        machine.timeline().every(life, LOOK, this::look);
        if (acts) {
            deal();
        }
    }

    /** As {@link Daemon} makes it. */
    private NodeBalancer balancer(Api api, Disk disk) {
        return NodeBalancer.of(
                machine.balancer(),
                disk,
                STATE.resolve(StateLayout.KEEPER),
                new TreeSet<>(Set.of(BalancerModel.serverOf(machine))),
                machine.balancer()::probe,
                NodeBalancer.Surroundings.ofControlPlane(machine.front().spec(), parts.observer(), api::reconnect),
                machine.timeline(),
                machine::wallClock);
    }

    private Evidence<Integer> otherServers() {
        return balancer.map(NodeBalancer::readyOthers).orElseGet(() -> Evidence.unknown("not looked at yet"));
    }

    private Set<String> ofBalancer(Function<NodeBalancer, Set<String>> addresses) {
        return balancer.map(addresses).orElse(Set.of());
    }

    private void deal() {
        balancer.ifPresent(
                made -> made.start(new Turns(parts.changed()), parts.observer().tables()));
    }

    boolean runs() {
        return !life.hasEnded() && program.isAlive(machine.now());
    }

    boolean isOf(Program other) {
        return program == other;
    }

    /** The keeper that acted before has ended. */
    void act() {
        machine.say("keeper", "acts from now on");
        acts = true;
        deal();
        lastDecision = Instant.MIN;
    }

    /** Whether it has seen all that the node itself can tell; a real onlooker tells this to the acting keeper. */
    boolean decides() {
        return runs()
                && parts.observer().sources().entrySet().stream()
                        .allMatch(source -> source.getValue() instanceof Evidence.Known
                                || !Daemon.ON_THE_NODE.contains(source.getKey()));
    }

    boolean isStaticCopy() {
        return staticCopy;
    }

    /** What it did, as it tells people. */
    List<DecisionLog.Entry> decisions() {
        return parts.log().entries();
    }

    /** Its process gets no processor for a while. */
    void standStill(Duration how) {
        machine.timeline().stop(life, how);
    }

    /** Its process ended, however that came about. */
    void stop() {
        life.end();
    }

    private void end() {
        machine.say("keeper", "gives way");
        machine.invariants().gaveWay();
        program.endAt(machine.now());
        stop();
    }

    private void look() {
        if (!program.isAlive(machine.now())) {
            stop();
            return;
        }
        Instant due = lastDecision.plus(parts.changed().tick());
        if (!isRaised() && machine.now().isBefore(due)) {
            return;
        }
        lastDecision = machine.now();
        Observation seen = machine.distortion().seen(parts.observer().observe());
        Decision decision = machine.distortion()
                .decided(seen, parts.keeper().decide(seen, standstill.awaken(state, machine.now()), machine.now()));
        state = decision.state();
        if (!acts) {
            return;
        }
        if (standstill.looksOn()) {
            parts.executor().take(List.of(), machine.now());
            return;
        }
        note(decision);
        wanted = decision.actions().stream().map(Planned::action).collect(Collectors.toSet());
        parts.executor().take(decision.actions(), machine.now());
    }

    private boolean isRaised() {
        try {
            return parts.changed().await(Duration.ZERO);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("a simulation is not interrupted", e);
        }
    }

    private void note(Decision decision) {
        for (Planned planned : decision.actions()) {
            if (!wanted.contains(planned.action())) {
                machine.say("keeper", planned.action() + " because " + planned.reason() + ": " + planned.evidence());
                machine.trace().count("reason: " + planned.reason());
            }
        }
        decision.components().forEach((name, status) -> {
            Condition before = conditions.put(name, status.condition());
            if (before != status.condition()) {
                machine.trace().count("state: " + status.condition());
                machine.trace().count("transition: " + before + " -> " + status.condition());
                machine.say("keeper", name + " is " + status.condition() + ", waits for: " + status.waitsFor());
            }
        });
        machine.noteChange(decision.change());
    }

    /** {@link Machine} has the locks. */
    private final class LocksOfTheMachine implements Succession {
        @Override
        public boolean begin() {
            throw new IllegalStateException("the machine says who acts");
        }

        @Override
        public void tellThatItDecides() {
            throw new IllegalStateException("the machine asks");
        }

        @Override
        public Evidence<Successor> successor() {
            return Evidence.known(staticCopy ? machine.successor() : Successor.WAITS);
        }

        @Override
        public void admit() {
            machine.admitSuccessor();
        }

        @Override
        public void close() {
            life.end();
        }
    }

    /**
     * What the API's watches tell. A modelled watch ends after its last event and is opened again; while there would be no event, it is
     * left alone for a while.
     */
    private final class Watched implements Supplier<Duration> {
        private static final Duration AGAIN = Duration.ofMillis(250);
        private static final Duration AT_MOST = Duration.ofSeconds(2);

        private final Supplier<Duration> look;
        private Optional<Program> server = Optional.empty();
        private long revision;
        private Instant looked = Instant.MIN;

        Watched(Supplier<Duration> look) {
            this.look = look;
        }

        @Override
        public Duration get() {
            Optional<Program> answers = machine.trouble().kind() == Trouble.Kind.NONE
                    ? machine.servers().reached().flatMap(Servers.Reached::ready)
                    : Optional.empty();
            boolean silent = answers.isPresent()
                    && answers.equals(server)
                    && machine.objects().revision() == revision
                    && machine.now().isBefore(looked.plus(AT_MOST));
            if (silent) {
                return AGAIN;
            }
            server = answers;
            revision = machine.objects().revision();
            looked = machine.now();
            return look.get();
        }
    }

    /** Runs each turn of a source as an event. */
    private final class Turns implements Lookouts {
        private final Signal changed;

        Turns(Signal changed) {
            this.changed = changed;
        }

        @Override
        public void repeat(String name, Supplier<Duration> look) {
            Supplier<Duration> turn = name.startsWith("api-") ? new Watched(look) : look;
            machine.timeline()
                    .repeat(life, chance.millis(1, 40), () -> turn.get().plus(chance.millis(0, 30)));
        }

        @Override
        public void repeatAndWhenRestEnds(String name, Supplier<Duration> look) {
            Turn turn = new Turn(look);
            changed.whenRestEnds(turn::soon);
            turn.soon();
        }

        /** The turns of one source: to move the next turn, the scheduled one is ignored. */
        private final class Turn {
            private final Supplier<Duration> look;
            private int due;

            Turn(Supplier<Duration> look) {
                this.look = look;
            }

            void soon() {
                in(Duration.ZERO);
            }

            private void in(Duration pause) {
                int number = ++due;
                machine.timeline().after(life, pause.plus(chance.millis(1, 40)), () -> {
                    if (number == due) {
                        take(number);
                    }
                });
            }

            private void take(int number) {
                Duration pause = TURN;
                try {
                    pause = look.get();
                } finally {
                    if (number == due && !life.hasEnded()) {
                        in(pause);
                    }
                }
            }
        }

        @Override
        public void follow(String name, Runnable look) {
            every(name, TURN, look);
        }

        @Override
        public void close() {
            life.end();
        }
    }

    /** What {@code nft monitor} tells ends at once: the front is read again each time. */
    private static final class NoProcesses implements Processes {
        @Override
        public Result run(Command command) {
            throw ProblemException.of(
                    ErrorCode.MISSING_TOOL, "simulation", "has no programs", "", "none: this is a model");
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            return new Result(command.toString(), 0, "", "");
        }

        @Override
        public int attach(Command command) {
            return run(command).exitCode();
        }
    }

    /** Images are never lost in the model. */
    private static final class NoArchive implements Images.Archive {
        private final Set<String> kept = new HashSet<>();

        @Override
        public void save(String reference) {
            kept.add(reference);
        }

        @Override
        public void restore(String reference) {
            kept.add(reference);
        }

        @Override
        public void sync() {}

        @Override
        public void retainOnly(Set<String> references) {
            kept.retainAll(references);
        }
    }
}
