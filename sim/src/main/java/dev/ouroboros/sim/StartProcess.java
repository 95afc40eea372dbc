package dev.ouroboros.sim;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.front.Server;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.Role;
import dev.ouroboros.core.keeper.Slots;
import dev.ouroboros.core.pivot.Action;
import dev.ouroboros.core.pivot.Component;
import dev.ouroboros.core.pivot.Decision;
import dev.ouroboros.core.pivot.Handover;
import dev.ouroboros.core.pivot.Observation;
import dev.ouroboros.core.pivot.Observation.Acceptance;
import dev.ouroboros.core.pivot.Observation.Applied;
import dev.ouroboros.core.pivot.Observation.Crash;
import dev.ouroboros.core.pivot.Observation.Front;
import dev.ouroboros.core.pivot.Observation.Manifest;
import dev.ouroboros.core.pivot.Observation.NodeView;
import dev.ouroboros.core.pivot.Phase;
import dev.ouroboros.core.pivot.Pivot;
import dev.ouroboros.core.pivot.PivotState;
import dev.ouroboros.core.pivot.Settings;
import dev.ouroboros.core.pivot.Workload;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.sim.Blueprint.Kept;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One {@code start} at work: the decisions are {@link Pivot}'s; what it sees and does is modelled after module {@code bootstrap}. Like
 * that it writes its journal before it acts, tries an action that failed again after a second, and hands over to the keeper last.
 */
final class StartProcess {
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration QUIET = Duration.ofSeconds(3);
    private static final Duration EXPIRING = Duration.ofSeconds(12);

    private final Machine machine;
    private final Chance chance;
    private final boolean takesOver;
    private final Optional<EtcdMember.Snapshot> snapshot;
    private final StartFiles files;
    private final Timeline.Life life = new Timeline.Life();
    private final Pivot pivot = new Pivot(Settings.DEFAULT, Handover.FRONT);
    private final Set<Action> underWay = new HashSet<>();
    private final Map<Action, Instant> failedAt = new HashMap<>();
    private final Map<Server, Health> health = new EnumMap<>(Server.class);
    private PivotState state;
    private Instant quietSince;
    private boolean tookOver;
    private Optional<RestoreProcess> restore = Optional.empty();
    private boolean restored;
    private boolean restartPending = true;
    private boolean frontProven;
    private boolean accepted;
    private boolean handsOver;
    private Optional<Instant> handsOverUntil = Optional.empty();

    /**
     * @param takesOver whether it is told to end what the keeper stands in with
     * @param snapshot what it is told to restore first
     */
    StartProcess(Machine machine, Chance chance, boolean takesOver, Optional<EtcdMember.Snapshot> snapshot) {
        this.machine = machine;
        this.chance = chance;
        this.takesOver = takesOver;
        this.snapshot = snapshot;
        this.files = machine.startFiles();
        Instant now = machine.now();
        this.quietSince = now;
        this.state = standing(now);
    }

    private PivotState standing(Instant now) {
        return files.unfinished(now).orElseGet(() -> PivotState.initial(now));
    }

    void begin() {
        if (files.hasUnderstudy() && !takesOver) {
            machine.trace().say("start", "is refused: the keeper stands in");
            machine.trace().count("start: refused");
            machine.starts().refused();
            stop();
            return;
        }
        if (files.hasUnderstudy()) {
            machine.trace().say("start", "takes over from the keeper");
            machine.trace().count("start: takes over");
        }
        machine.trace().say("start", "begins with " + state.phase());
        machine.trace().count("start: begins with " + state.phase());
        machine.timeline().every(life, LOOK, this::look);
    }

    boolean runs() {
        return !life.hasEnded();
    }

    /** Whether it holds its lock. */
    boolean isAtWork() {
        return runs() && !handsOver;
    }

    void kill() {
        machine.trace()
                .say(
                        "fault",
                        "start is killed in "
                                + (handsOver ? "its hand-over" : state.phase().toString()));
        machine.trace()
                .count("start: killed in "
                        + (handsOver ? "its hand-over" : state.phase().toString()));
        stop();
    }

    void stop() {
        life.end();
    }

    private void look() {
        if (takesOver && !tookOver) {
            takeOver();
            return;
        }
        if (snapshot.isPresent() && !restored) {
            restore(snapshot.get());
            return;
        }
        if (state.phase() == Phase.DONE) {
            handOver();
            return;
        }
        if (state.phase() == Phase.FAILED) {
            machine.trace().say("start", "fails: " + state.failures().getFirst().describe());
            machine.trace().count("start: fails");
            stop();
            return;
        }
        Decision decision = pivot.decide(observe(), state, machine.now());
        if (!decision.state().equals(state)) {
            try {
                files.journal(decision.state().phase());
            } catch (ProblemException e) {
                machine.trace().say("start", "fails: " + e.getMessage());
                stop();
                return;
            }
            machine.trace().say("start", "is " + decision.state().phase());
            machine.trace()
                    .count("start: " + state.phase() + " -> " + decision.state().phase());
        }
        state = decision.state();
        decision.actions().forEach(this::begin);
    }

    /** One step of it; when it has ended, the pivot begins. */
    private void restore(EtcdMember.Snapshot from) {
        try {
            if (restore.isEmpty()) {
                EtcdMember member = machine.etcd().member().orElseThrow();
                restore = Optional.of(new RestoreProcess(machine, member, from));
            } else if (!restore.get().isOver()) {
                restore.get().step();
            } else {
                restored = true;
                state = standing(machine.now());
            }
        } catch (ProblemException e) {
            machine.trace().say("start", "fails: " + e.getMessage());
            machine.trace().count("start: fails to restore");
            if (restore.filter(RestoreProcess::gaveUp).isPresent()) {
                machine.starts().restoreFailed();
            }
            stop();
        }
    }

    /** Ends when nothing of the keeper's has been there for a while. */
    private void takeOver() {
        if (files.hasUnderstudy()) {
            try {
                files.removeUnderstudies();
            } catch (ProblemException e) {
                machine.trace().say("start", "fails: " + e.getMessage());
                stop();
                return;
            }
        }
        boolean runs = machine.kubelet().runs().stream()
                .anyMatch(
                        run -> run.isStatic && run.name.startsWith("understudy-kube-") && run.isRunning(machine.now()));
        if (runs) {
            quietSince = machine.now();
        }
        tookOver = machine.now().isAfter(quietSince.plus(QUIET));
    }

    private void begin(Decision.Planned planned) {
        Action action = planned.action();
        Instant failed = failedAt.get(action);
        boolean tooSoon = failed != null && machine.now().isBefore(failed.plus(RETRY_AFTER));
        if (tooSoon || !underWay.add(action)) {
            return;
        }
        machine.trace().say("start", action + " because " + planned.reason());
        machine.timeline().after(life, chance.millis(5, 600), () -> {
            underWay.remove(action);
            try {
                perform(action);
                failedAt.remove(action);
            } catch (ProblemException e) {
                failedAt.put(action, machine.now());
            }
        });
    }

    private void perform(Action action) {
        switch (action) {
            case Action.InstallFront _ -> machine.front().install();
            case Action.PointFrontToUnderstudy _ -> machine.front().pointToUnderstudy(LEASE);
            case Action.PointFrontToPrincipal _ -> machine.front().pointToPrincipal();
            case Action.ProveFront _ ->
                frontProven = machine.servers().routed().equals(Optional.of(Server.UNDERSTUDY))
                        && machine.servers().answers();
            case Action.CopySecrets _ -> files.copySecrets();
            case Action.RemoveSecrets _ -> files.removeSecrets();
            case Action.WriteManifest(Component component) -> files.write(component);
            case Action.RemoveManifest(Component component) -> files.remove(component);
            case Action.ApplyManifests _ -> {
                requireApi();
                Blueprint.populateRest(machine.objects());
            }
            case Action.ApplyWorkloads _ -> {
                requireApi();
                Blueprint.WORKLOADS.forEach(kept -> Blueprint.apply(machine.objects(), kept));
            }
            case Action.RestartKubelet _ -> {
                restartPending = false;
                machine.timeline().after(machine.world(), chance.seconds(1, 6), machine.kubelet()::askToJoin);
            }
            case Action.LabelNode _ -> {
                requireApi();
                Blueprint.labelNode(machine.objects());
            }
            case Action.WriteServiceEndpoints _ -> {
                requireApi();
                machine.objects().put(Blueprint.SERVICE, Blueprint.service());
            }
            case Action.ReleaseLease _ -> requireApi();
            case Action.RunAcceptance _ ->
                accepted = machine.servers().routed().equals(Optional.of(Server.PRINCIPAL))
                        && machine.servers().answers();
        }
    }

    private void requireApi() {
        if (!machine.servers().answers()) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE, "start", "no API server answers", "", "none: this is a model");
        }
    }

    /** The keeper's DaemonSet comes last; start ends when what a power cut would need is on the disk. */
    private void handOver() {
        handsOverUntil = handsOverUntil.or(() -> Optional.of(machine.now().plus(Settings.DEFAULT.phaseDeadline())));
        if (machine.now().isAfter(handsOverUntil.get())) {
            machine.trace().say("start", "fails: the keeper has not taken over");
            machine.trace().count("start: fails");
            stop();
            return;
        }
        if (!handsOver && machine.servers().answers()) {
            Blueprint.apply(machine.objects(), Blueprint.KEEPER);
            machine.trace().say("start", "hands over to the keeper");
            handsOver = true;
        }
        boolean kept = handsOver
                && workload(Blueprint.KEEPER).isReady()
                && files.hasStaticCopy()
                && Blueprint.WORKLOADS.stream().allMatch(this::isKept);
        if (kept) {
            try {
                if (snapshot.isPresent()) {
                    RestoreProcess.forget(machine.disk());
                }
            } catch (ProblemException e) {
                // People run it again, and it finds everything done but this.
                machine.trace().say("start", "fails: " + e.describe());
                machine.trace().count("start: fails");
                stop();
                return;
            }
            machine.trace().say("start", "is done");
            machine.trace().count("start: done");
            machine.starts().done();
            stop();
        }
    }

    private boolean isKept(Kept kept) {
        return machine.invariants()
                .slots(kept)
                .filter(slots -> !slots.equals(Slots.NONE))
                .isPresent();
    }

    private Observation observe() {
        boolean api = machine.servers().answers();
        Map<Component, Evidence<Manifest>> manifests = new EnumMap<>(Component.class);
        Map<Component, Evidence<Health>> helpers = new EnumMap<>(Component.class);
        for (Component component : Component.values()) {
            manifests.put(component, Evidence.known(files.manifest(component)));
            helpers.put(
                    component, Evidence.known(runs(component) ? new Health.NotReady("") : new Health.NotListening()));
        }
        Optional<Server> routed = machine.servers().routed();
        return new Observation(
                probe(Server.UNDERSTUDY),
                probe(Server.PRINCIPAL),
                readers(),
                Evidence.known(api ? new Health.Ready(machine.now()) : new Health.NotReady("")),
                routed.<Evidence<Server>>map(Evidence::known).orElseGet(() -> Evidence.unknown("nobody answers")),
                helpers,
                manifests,
                Evidence.known(crashes()),
                Evidence.known(files.hasSecrets()),
                front(),
                frontProven ? Evidence.known(List.<Problem>of()) : Evidence.unknown("not proven yet"),
                ofApi(api, new Applied(Blueprint.isPopulated(machine.objects()) ? 1 : 0, 1)),
                ofApi(api, new Applied((int) applied(), Blueprint.WORKLOADS.size())),
                ofApi(api, node()),
                Evidence.known(restartPending),
                ofApi(api, Blueprint.WORKLOADS.stream().map(this::workload).toList()),
                ofApi(api, List.of()),
                ofApi(api, machine.objects().get(Blueprint.SERVICE).isPresent()),
                List.of(),
                accepted ? Evidence.known(new Acceptance.Passed()) : Evidence.unknown("not run yet"));
    }

    private static <T> Evidence<T> ofApi(boolean answers, T value) {
        return answers ? Evidence.known(value) : Evidence.unknown("no API server answers");
    }

    private Evidence<Health> probe(Server server) {
        Health now = machine.servers().probe(server, health.getOrDefault(server, new Health.NotListening()));
        health.put(server, now);
        return Evidence.known(now);
    }

    private Evidence<Set<Server>> readers() {
        if (!machine.servers().isReady(Server.PRINCIPAL)) {
            return Evidence.unknown("the self-hosted API server is not ready");
        }
        return Evidence.known(Arrays.stream(Server.values())
                .filter(server -> machine.servers()
                        .ready(server)
                        .filter(program -> program.behaviour != Behaviour.CANNOT_READ_SECRETS)
                        .isPresent())
                .collect(Collectors.toUnmodifiableSet()));
    }

    private boolean runs(Component component) {
        return machine.kubelet().runs().stream()
                .anyMatch(run -> run.name.startsWith(component.temporaryPod()) && run.isRunning(machine.now()));
    }

    private List<Crash> crashes() {
        return Arrays.stream(Component.values())
                .flatMap(component -> machine.kubelet().runs().stream()
                        .filter(run -> run.name.startsWith(component.temporaryPod()) && run.attempts > 1)
                        .map(run -> new Crash(component, run.attempts - 1, "")))
                .toList();
    }

    private Evidence<Front> front() {
        return switch (machine.front().read()) {
            case FrontState.NotInstalled _ -> Evidence.known(Front.ABSENT);
            case FrontState.ToPrincipal _ -> Evidence.known(Front.PRINCIPAL);
            case FrontState.ToUnderstudy(Duration left, var _) ->
                Evidence.known(left.compareTo(EXPIRING) < 0 ? Front.UNDERSTUDY_EXPIRING : Front.UNDERSTUDY);
            case FrontState.Unknown(String why) -> Evidence.unknown(why);
            case FrontState.Foreign _, FrontState.Damaged _ -> Evidence.unknown("cannot be understood");
        };
    }

    private NodeView node() {
        Optional<Json.Fields> node = machine.objects().get(Blueprint.NODE_PATH);
        boolean labelled = node.filter(found ->
                        !found.at("metadata", "labels", Blueprint.ROLE_LABEL).isNull())
                .isPresent();
        return new NodeView(node.isPresent(), labelled, List.of());
    }

    private long applied() {
        return Blueprint.WORKLOADS.stream()
                .filter(kept -> machine.objects().get(kept.path()).isPresent())
                .count();
    }

    private Workload workload(Kept kept) {
        List<PodRun> pods = machine.kubelet().runs().stream()
                .filter(run -> !run.isStatic && run.namespace.equals(kept.namespace()) && run.role == kept.role())
                .toList();
        long ready = pods.stream()
                .filter(run -> run.isReady(machine.now(), machine.etcd().answers()))
                .count();
        int restarts = kept.role() == Role.OTHER
                ? 0
                : pods.stream()
                        .filter(run ->
                                !run.isReady(machine.now(), machine.etcd().answers()))
                        .mapToInt(run -> Math.max(0, run.attempts - 1))
                        .max()
                        .orElse(0);
        return new Workload(
                kept.namespace() + "/" + kept.name(),
                (int) ready,
                machine.objects().get(kept.path()).isPresent() ? 1 : 0,
                (int) pods.stream().filter(run -> run.attempts > 0).count(),
                restarts,
                "",
                List.of());
    }
}
