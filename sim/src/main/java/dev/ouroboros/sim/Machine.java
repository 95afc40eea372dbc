package dev.ouroboros.sim;

import dev.ouroboros.keeper.decide.ChangeStatus;
import dev.ouroboros.keeper.decide.ChangeStep;
import dev.ouroboros.keeper.decide.KeeperSettings;
import dev.ouroboros.keeper.decide.Successor;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.testing.ModelDisk;
import dev.ouroboros.runtime.ContainerRuntime;
import dev.ouroboros.runtime.RuntimeVersion;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One node of a cluster, its control plane where it has one, and the keeper on it. */
final class Machine {
    private final ClusterModel cluster;
    private final String name;
    private final InetAddress address;
    private final EventTimeline timeline;
    private final Trace trace;
    private final ModelDisk disk = new ModelDisk();
    private final Chance chance;
    private final Chance programs;
    private final Invariants invariants;
    private final FrontModel front;
    private final BalancerModel balancer;
    private final Servers servers;
    private final Kubelet kubelet;
    private final StartFiles startFiles;
    private final StartRuns starts;
    private Trouble trouble = Trouble.NONE;
    private boolean kubeletReachesApi = true;
    private boolean controllersReachApi = true;
    private Duration wallClockAhead = Duration.ZERO;
    private boolean wallClockWentBack;
    private boolean runtimeAnswers = true;
    private boolean powered = true;
    /** When its member of etcd has begun, where etcd has several. */
    private Instant memberUpAt = Instant.MIN;

    private boolean cutKillsOnly;
    /** The keeper that acts. */
    private Optional<KeeperProcess> keeper = Optional.empty();
    /** One that looks on while another acts. */
    private Optional<KeeperProcess> onlooker = Optional.empty();
    /** Whether the acting keeper has released the lock that the next one waits for. */
    private boolean admitted;

    private ChangeStep step = ChangeStep.NONE;

    /** @param number its place among the machines of its cluster, from 1 on */
    Machine(ClusterModel cluster, int number, Chance chance) {
        this.cluster = cluster;
        this.name = Blueprint.nodeName(number);
        this.address = Blueprint.address(number);
        this.timeline = cluster.timeline();
        this.trace = cluster.trace();
        this.chance = chance;
        this.programs = chance.split();
        this.invariants = new Invariants(this);
        this.front = new FrontModel(timeline, address, invariants::pointed);
        this.balancer = new BalancerModel(this);
        this.servers = new Servers(this);
        this.kubelet = new Kubelet(this, chance.split());
        disk.clock(this::wallClock);
        disk.createDirectories(Kubelet.MANIFESTS, Disk.OWNER_ONLY_DIRECTORY);
        this.startFiles = new StartFiles(disk);
        this.starts = new StartRuns(this, chance);
    }

    /** Puts on its disk what is there before anything begins. */
    void prepare() {
        cluster.distortion().prepare(disk);
        invariants.placeForeignFiles();
    }

    ClusterModel cluster() {
        return cluster;
    }

    String name() {
        return name;
    }

    InetAddress address() {
        return address;
    }

    /** Whether the cluster's API says that it is of the control plane. */
    boolean isLabelled() {
        return objects()
                .get(Blueprint.nodePath(name))
                .filter(node ->
                        !node.at("metadata", "labels", Blueprint.ROLE_LABEL).isNull())
                .isPresent();
    }

    StartFiles startFiles() {
        return startFiles;
    }

    StartRuns starts() {
        return starts;
    }

    void turn() {
        if (!powered) {
            return;
        }
        kubelet.sync();
        if (chance.of100(70)) {
            cluster.controllers().act();
        }
        if (controllersReachApi()) {
            cluster.leaders().turn(this);
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
            say("keeper", "cannot begin: " + e.getMessage());
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

    /** Whether a write on its disk was broken off, by {@link #cutAtWrite}. */
    boolean isCut() {
        return disk.isCut();
    }

    void brokeOff() {
        disk.repair();
        if (cutKillsOnly) {
            say("fault", "the keeper was killed in the middle of a write");
            killKeeper();
            starts.kill();
        } else {
            losePower("in the middle of a write");
        }
    }

    void losePower(String when) {
        losePower(when, Optional.empty());
    }

    /** @param off for how long; empty for as long as a machine takes that boots at once */
    void losePower(String when, Optional<Duration> off) {
        if (!powered) {
            return;
        }
        say("fault", "power lost " + when);
        powered = false;
        keeper.ifPresent(KeeperProcess::stop);
        keeper = Optional.empty();
        onlooker.ifPresent(KeeperProcess::stop);
        onlooker = Optional.empty();
        admitted = false;
        starts.stop();
        front.flush();
        balancer.remove();
        kubelet.losePower();
        cluster.etcd().losePower();
        disk.losePower(chance.random());
        disk.repair();
        timeline.after(world(), off.orElseGet(() -> chance.seconds(3, 20)), () -> {
            say("machine", "boots");
            powered = true;
            if (cluster.hasSeveral()) {
                memberUpAt = now().plus(chance.seconds(2, 6));
            }
        });
    }

    /** Whether its member of etcd runs, where etcd has several. */
    boolean memberIsUp() {
        return powered && !now().isBefore(memberUpAt);
    }

    /** As {@link Trace#say}, with its name where there are several. */
    void say(String who, String what) {
        trace.say(who, cluster.hasSeveral() ? name + ": " + what : what);
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
        say(
                "kubelet",
                "starts " + run.name + " "
                        + program.version().map(Object::toString).orElse("") + " " + program.behaviour);
        if (EtcdMemberModel.isEtcd(run)) {
            cluster.etcd().member().ifPresent(member -> member.started(program));
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
            say("keeper", "change is " + status.step() + ": " + status.message());
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
        return cluster.world();
    }

    Trace trace() {
        return trace;
    }

    Objects objects() {
        return cluster.objects();
    }

    /** Whether API servers of this machine have an etcd. */
    boolean etcdAnswers() {
        return cluster.etcd().answers(this);
    }

    ModelDisk disk() {
        return disk;
    }

    KeeperSettings settings() {
        return cluster.settings();
    }

    Distortion distortion() {
        return cluster.distortion();
    }

    Invariants invariants() {
        return invariants;
    }

    FrontModel front() {
        return front;
    }

    BalancerModel balancer() {
        return balancer;
    }

    Servers servers() {
        return servers;
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

    void runtimeAnswers(boolean answers) {
        runtimeAnswers = answers;
    }

    boolean isPowered() {
        return powered;
    }
}
