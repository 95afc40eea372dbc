package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.ChangeStatus;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.node.testing.ModelDisk.PowerCut;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One node with its control plane, and the keeper on it. */
final class Machine {
    private static final Duration TURN = Duration.ofSeconds(1);
    private static final Duration PEOPLE_LOOK = Duration.ofSeconds(5);

    private final EventTimeline timeline = new EventTimeline();
    private final EventTimeline.Life world = new EventTimeline.Life();
    private final Trace trace = new Trace(timeline);
    private final Objects objects = new Objects();
    private final ModelDisk disk = new ModelDisk();
    private final KeeperSettings settings;
    private final Distortion distortion;
    private final Chance chance;
    private final Chance programs;
    private final Invariants invariants;
    private final FrontModel front;
    private final Servers servers;
    private final Kubelet kubelet;
    private final Controllers controllers;
    private final LeaderElection leaders;
    private Trouble trouble = Trouble.NONE;
    private boolean kubeletReachesApi = true;
    private boolean controllersReachApi = true;
    private Duration wallClockAhead = Duration.ZERO;
    private boolean wallClockWentBack;
    private final Etcd etcd;
    private final Scaling scaling;
    private final StartFiles startFiles;
    private final StartRuns starts;
    private boolean runtimeAnswers = true;
    private boolean powered = true;
    private boolean cutKillsOnly;
    /** The keeper that acts. */
    private Optional<KeeperProcess> keeper = Optional.empty();
    /** One that looks on while another acts. */
    private Optional<KeeperProcess> onlooker = Optional.empty();
    /** Whether the acting keeper has released the lock that the next one waits for. */
    private boolean admitted;

    private ChangeStep step = ChangeStep.NONE;

    /** How it all begins. */
    enum Beginning {
        /** As {@code ouro start} leaves a node. */
        STARTED,
        /** A kubelet, etcd, and people who run {@code ouro start}. */
        EMPTY
    }

    Machine(
            Chance chance,
            KeeperSettings settings,
            Distortion distortion,
            Beginning beginning,
            Optional<Chance> member) {
        this.chance = chance;
        this.programs = chance.split();
        this.settings = settings;
        this.distortion = distortion;
        this.invariants = new Invariants(this);
        this.front = new FrontModel(timeline, invariants::pointed);
        this.servers = new Servers(this);
        this.kubelet = new Kubelet(this, chance.split());
        this.controllers = new Controllers(this);
        this.leaders = new LeaderElection(this);
        disk.clock(this::wallClock);
        disk.createDirectories(Kubelet.MANIFESTS, Disk.OWNER_ONLY_DIRECTORY);
        this.startFiles = new StartFiles(disk);
        this.starts = new StartRuns(this, chance);
        this.etcd = new Etcd(this, member);
        this.scaling = new Scaling(this);
        etcd.begin();
        distortion.prepare(disk);
        invariants.placeForeignFiles();
        timeline.every(world, TURN, this::turn);
        timeline.every(world, PEOPLE_LOOK, scaling::scaleBack);
        switch (beginning) {
            case STARTED -> bootstrap();
            case EMPTY -> {
                Blueprint.populateFirst(objects);
                etcd.isLost();
                front.flush();
            }
        }
        if (beginning == Beginning.EMPTY || member.isPresent()) {
            timeline.every(world, StartRuns.AGAIN, () -> {
                if (powered) {
                    starts.again();
                }
            });
        }
    }

    StartFiles startFiles() {
        return startFiles;
    }

    StartRuns starts() {
        return starts;
    }

    /** As {@code ouro start} leaves a node: the API server's first pod runs, and controllers beside it that end with it. */
    private void bootstrap() {
        Blueprint.populate(objects);
        starts.done();
        etcd.keepBackup();
        kubelet.join();
        for (Blueprint.Kept kept : Blueprint.ALL) {
            if (kept.role() == Role.API_SERVER
                    || kept.role() == Role.CONTROLLER_MANAGER
                    || kept.role() == Role.SCHEDULER) {
                controllers.createFirst(kept);
            }
        }
        kubelet.adoptAll();
    }

    private void turn() {
        if (!powered) {
            return;
        }
        kubelet.sync();
        if (chance.of100(70)) {
            controllers.act();
        }
        if (controllersReachApi()) {
            leaders.turn();
        }
        passLocksOn();
    }

    /** One of the running keepers acts; when it ends, the onlooker takes over, or else the next one that waits for the lock. */
    private void passLocksOn() {
        if (keeper.filter(KeeperProcess::runs).isEmpty()) {
            keeper.ifPresent(KeeperProcess::stop);
            keeper = lookingOn();
            keeper.ifPresent(KeeperProcess::act);
            onlooker = Optional.empty();
            admitted = false;
        }
        if (keeper.isEmpty()) {
            keeper = start(false);
        } else if (admitted && lookingOn().isEmpty()) {
            onlooker.ifPresent(KeeperProcess::stop);
            onlooker = start(true);
        }
    }

    private Optional<KeeperProcess> lookingOn() {
        return onlooker.filter(KeeperProcess::runs);
    }

    /** A keeper that cannot even create its directory ends, and the kubelet restarts it. */
    private Optional<KeeperProcess> start(boolean looksOn) {
        List<Program> waiting = kubelet.runs().stream()
                .flatMap(run -> run.program.stream())
                .filter(program -> program.role == Role.KEEPER && program.isReady(now()))
                .filter(program -> keeper.filter(acts -> acts.isOf(program)).isEmpty())
                .toList();
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        Program holder = chance.one(waiting);
        try {
            KeeperProcess next = new KeeperProcess(this, holder, looksOn, chance.split());
            next.begin();
            return Optional.of(next);
        } catch (ProblemException e) {
            trace.say("keeper", "cannot begin: " + e.getMessage());
            holder.endAt(now());
            return Optional.empty();
        }
    }

    Successor successor() {
        if (!admitted) {
            return Successor.WAITS;
        }
        return lookingOn().filter(KeeperProcess::decides).isPresent() ? Successor.DECIDES : Successor.ADMITTED;
    }

    void admitSuccessor() {
        admitted = true;
    }

    /** Lets one thing happen, and looks whether a rule was broken by it. */
    void step() {
        try {
            timeline.step();
        } catch (PowerCut e) {
            disk.repair();
            if (cutKillsOnly) {
                trace.say("fault", "the keeper was killed in the middle of a write");
                killKeeper();
                starts.kill();
            } else {
                losePower("in the middle of a write");
            }
        }
        invariants.check();
    }

    void losePower(String when) {
        if (!powered) {
            return;
        }
        trace.say("fault", "power lost " + when);
        powered = false;
        keeper.ifPresent(KeeperProcess::stop);
        keeper = Optional.empty();
        onlooker.ifPresent(KeeperProcess::stop);
        onlooker = Optional.empty();
        admitted = false;
        starts.stop();
        front.flush();
        kubelet.losePower();
        etcd.member().ifPresent(EtcdMember::losePower);
        disk.losePower(chance.random());
        disk.repair();
        timeline.after(world, chance.seconds(3, 20), () -> {
            trace.say("machine", "boots");
            powered = true;
        });
    }

    void stopKeeper(Duration how) {
        keeper.ifPresent(process -> process.standStill(how));
        onlooker.ifPresent(process -> process.standStill(how));
    }

    void killKeeper() {
        kubelet.runs().stream()
                .flatMap(run -> run.program.stream())
                .filter(program -> program.role == Role.KEEPER
                        && keeper.filter(holder -> holder.isOf(program)).isPresent())
                .forEach(program -> program.endAt(now()));
        keeper.ifPresent(KeeperProcess::stop);
        keeper = Optional.empty();
    }

    /** Cuts or kills at one of the next steps on the disk. */
    void cutAtWrite(int steps, boolean killsOnly) {
        cutKillsOnly = killsOnly;
        disk.breakAfter(steps, ModelDisk.Fault.POWER_CUT);
    }

    Program start(PodRun run) {
        Program program = new Program(run.role, run.isStatic, run.pod, now(), wallClock(), programs);
        trace.say(
                "kubelet",
                "starts " + run.name + " "
                        + program.version().map(Object::toString).orElse("") + " " + program.behaviour);
        if (EtcdMember.isEtcd(run)) {
            etcd.member().ifPresent(member -> member.started(program));
        } else {
            invariants.started(run, program);
        }
        return program;
    }

    static Role roleOf(String namespace, String pod) {
        String name = pod.startsWith("understudy-") || pod.startsWith("bootstrap-")
                ? pod.substring(pod.indexOf('-') + 1)
                : pod;
        for (Blueprint.Kept kept : Blueprint.ALL) {
            if (namespace.equals(kept.namespace()) && name.startsWith(kept.name())) {
                return kept.role();
            }
        }
        return Role.OTHER;
    }

    void noteChange(ChangeStatus status) {
        if (status.step() != step) {
            trace.count("change: " + step + " -> " + status.step());
            trace.say("keeper", "change is " + status.step() + ": " + status.message());
            step = status.step();
        }
    }

    ContainerRuntime runtime() {
        return new ContainerRuntime() {
            @Override
            public RuntimeVersion version() {
                throw refused();
            }

            @Override
            public List<RuntimePod> pods() {
                if (!runtimeAnswers) {
                    throw refused();
                }
                return kubelet.runs().stream()
                        .map(run -> run.seen(now()))
                        .sorted(RuntimePod.ORDER)
                        .toList();
            }

            @Override
            public boolean hasImage(String reference) {
                return true;
            }
        };
    }

    private static ProblemException refused() {
        return ProblemException.of(
                ErrorCode.RUNTIME_UNAVAILABLE, "runtime", "does not answer", "", "none: this is a model");
    }

    Optional<Json.Fields> template(Blueprint.Kept kept) {
        return objects.get(kept.path()).map(set -> (Json.Fields) set.at("spec", "template"));
    }

    Instant now() {
        return timeline.instant();
    }

    /** The clock that people set and read: only messages may depend on it. */
    Instant wallClock() {
        return timeline.instant().plus(wallClockAhead);
    }

    void jump(Duration by) {
        wallClockAhead = wallClockAhead.plus(by);
        wallClockWentBack |= by.isNegative();
    }

    boolean wallClockWentBack() {
        return wallClockWentBack;
    }

    boolean kubeletReachesApi() {
        return kubeletReachesApi && servers.answers();
    }

    void kubeletReachesApi(boolean reaches) {
        kubeletReachesApi = reaches;
    }

    boolean controllersReachApi() {
        return controllersReachApi && servers.answers();
    }

    void controllersReachApi(boolean reaches) {
        controllersReachApi = reaches;
    }

    EventTimeline timeline() {
        return timeline;
    }

    EventTimeline.Life world() {
        return world;
    }

    Trace trace() {
        return trace;
    }

    Objects objects() {
        return objects;
    }

    ModelDisk disk() {
        return disk;
    }

    KeeperSettings settings() {
        return settings;
    }

    Distortion distortion() {
        return distortion;
    }

    Invariants invariants() {
        return invariants;
    }

    FrontModel front() {
        return front;
    }

    Servers servers() {
        return servers;
    }

    LeaderElection leaders() {
        return leaders;
    }

    Controllers controllers() {
        return controllers;
    }

    Kubelet kubelet() {
        return kubelet;
    }

    Optional<KeeperProcess> keeper() {
        return keeper.filter(KeeperProcess::runs);
    }

    ChangeStep change() {
        return step;
    }

    Trouble trouble() {
        return trouble;
    }

    /** Whether another cluster's server answers. A keeper takes the cluster of the first answer for its own. */
    boolean isForeign() {
        return trouble.kind() == Trouble.Kind.OTHER_CLUSTER
                && disk.readText(KeeperProcess.MEMORY)
                        .filter(memory -> memory.contains("clusterId"))
                        .isPresent();
    }

    void trouble(Trouble now) {
        trouble = now;
    }

    Etcd etcd() {
        return etcd;
    }

    Scaling scaling() {
        return scaling;
    }

    void runtimeAnswers(boolean answers) {
        runtimeAnswers = answers;
    }

    boolean isPowered() {
        return powered;
    }
}
