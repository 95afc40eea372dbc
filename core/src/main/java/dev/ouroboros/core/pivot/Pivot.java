package dev.ouroboros.core.pivot;

import static dev.ouroboros.core.pivot.Component.API_SERVER;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.evidence.Evidence.Unknown;
import dev.ouroboros.core.front.Server;
import dev.ouroboros.core.pivot.Decision.Planned;
import dev.ouroboros.core.pivot.Health.NotListening;
import dev.ouroboros.core.pivot.Health.NotReady;
import dev.ouroboros.core.pivot.Health.Ready;
import dev.ouroboros.core.pivot.Observation.Acceptance;
import dev.ouroboros.core.pivot.Observation.Crash;
import dev.ouroboros.core.pivot.Observation.Front;
import dev.ouroboros.core.pivot.Observation.Manifest;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides the next step of a pivot. Pure: no I/O, no clock; level-triggered and idempotent, so that it may be asked at any time,
 * and a {@code start} that was killed at any instruction goes on.
 *
 * <p>Legal moves:
 *
 * <pre>
 * PREPARING          -> STARTING_TEMPORARY   nothing foreign is in the way
 *                    -> ACCEPTING            every self-hosted workload is ready and nothing temporary is left
 * STARTING_TEMPORARY -> APPLYING             the temporary API server is ready
 * APPLYING           -> SELF_HOSTING         every object but the workloads is in place
 * SELF_HOSTING       -> SWITCHING            every self-hosted workload is ready, the API server for {@link Settings#settle}
 * SWITCHING          -> TEARING_DOWN         the front leads to the principal and the final endpoint answers
 *                    -> SELF_HOSTING         the principal went away: the understudy still serves
 * TEARING_DOWN       -> ACCEPTING            nothing temporary listens any more
 *                    -> SELF_HOSTING         the principal went away before the understudy's manifest was removed
 * ACCEPTING          -> DONE | FAILED        the operations a user needs work, or do not
 * SWITCHING, TEARING_DOWN, ACCEPTING -> FAILED     a deadline passed: the self-hosted control plane is kept
 * any before SWITCHING -> ROLLING_BACK -> FAILED   a deadline passed, or something was refused for good
 * </pre>
 *
 * <p>What holds in every state: new connections are sent to the understudy only while it is needed, and away from it only when
 * the principal is ready; nothing foreign is written or removed; nothing temporary is removed on unknown evidence.
 */
public final class Pivot {
    private final Settings settings;

    public Pivot(Settings settings) {
        this.settings = settings;
    }

    public Decision decide(Observation seen, PivotState state, Instant now) {
        Plan plan = new Plan();
        PivotState next = switch (state.phase()) {
            case PREPARING -> prepare(seen, state, now, plan);
            case STARTING_TEMPORARY -> startTemporary(seen, state, now, plan);
            case APPLYING -> apply(seen, state, now, plan);
            case SELF_HOSTING -> selfHost(seen, state, now, plan);
            case SWITCHING -> failLate(switchOver(seen, state, now, plan), seen, now, plan);
            case TEARING_DOWN -> failLate(tearDown(seen, state, now, plan), seen, now, plan);
            case ACCEPTING -> failLate(accept(seen, state, now, plan), seen, now, plan);
            case ROLLING_BACK -> rollBack(seen, state, now, plan);
            case DONE, FAILED -> state;
        };
        return plan.decision(next);
    }

    private PivotState prepare(Observation seen, PivotState state, Instant now, Plan plan) {
        List<Problem> foreign = foreignManifests(seen);
        if (!foreign.isEmpty()) {
            // Nothing has been changed: there is nothing to roll back.
            return state.failing(Phase.FAILED, foreign, now);
        }
        boolean manifestsKnown = seen.manifests().values().stream().allMatch(e -> e instanceof Known);
        if (!manifestsKnown) {
            plan.waitFor("the kubelet's manifest directory");
            return state;
        }
        return switch (seen.principal()) {
            case Unknown<Health>(String reason) -> {
                plan.waitFor("a probe of the API port: " + reason);
                yield state;
            }
            case Known<Health>(Ready ignored) when nothingTemporary(seen) -> joinLiving(seen, state, now, plan);
            case Known<Health> ignored -> state.moveTo(Phase.STARTING_TEMPORARY, now);
        };
    }

    /** Nothing needs a temporary control plane where every workload is ready; where one is not, it may be needed to mend it. */
    private PivotState joinLiving(Observation seen, PivotState state, Instant now, Plan plan) {
        boolean patient = Duration.between(state.since(), now).compareTo(settings.removalPatience()) < 0;
        if (seen.workloads() instanceof Unknown && patient) {
            plan.waitFor("the workloads of the control plane that answers");
            return state;
        }
        boolean living = seen.workloads().is(all -> all.stream().allMatch(Workload::isReady));
        return state.moveTo(living ? Phase.ACCEPTING : Phase.STARTING_TEMPORARY, now);
    }

    private PivotState startTemporary(Observation seen, PivotState state, Instant now, Plan plan) {
        keepUnderstudy(seen, plan);
        if (isReady(seen.understudy())) {
            return state.moveTo(Phase.APPLYING, now);
        }
        plan.waitFor("temporary kube-apiserver: " + describe(seen.understudy()));
        return failWhenHopeless(seen, state, now, plan);
    }

    private PivotState apply(Observation seen, PivotState state, Instant now, Plan plan) {
        keepTemporaryControlPlane(seen, plan);
        tendNode(seen, plan);
        return switch (seen.applied()) {
            case Known<Observation.Applied>(Observation.Applied applied)
            when applied.isComplete() -> state.moveTo(Phase.SELF_HOSTING, now);
            case Known<Observation.Applied>(Observation.Applied applied) -> {
                plan.add(new Action.ApplyManifests(), Reason.API_SERVER_ANSWERS);
                plan.waitFor("manifests: " + applied.done() + " of " + applied.total() + " in place");
                yield failWhenHopeless(seen, state, now, plan);
            }
            case Unknown<Observation.Applied>(String reason) -> {
                plan.add(new Action.ApplyManifests(), Reason.API_SERVER_ANSWERS);
                plan.waitFor("manifests: " + reason);
                yield failWhenHopeless(seen, state, now, plan);
            }
        };
    }

    private PivotState selfHost(Observation seen, PivotState state, Instant now, Plan plan) {
        keepTemporaryControlPlane(seen, plan);
        tendNode(seen, plan);
        letKubeletJoin(seen, plan);
        boolean settled = seen.principal()
                .is(health -> health instanceof Ready(Instant since) && !now.isBefore(since.plus(settings.settle())));
        if (!settled) {
            plan.waitFor("self-hosted kube-apiserver: " + describe(seen.principal()));
        }
        boolean labelled = seen.node().is(Observation.NodeView::labelled);
        boolean applied = seen.workloadsApplied().is(Observation.Applied::isComplete);
        if (labelled && !applied) {
            plan.add(new Action.ApplyWorkloads(), Reason.NODE_CAN_TAKE_PODS);
        }
        // The API server's own pod is judged by our probe, which is stricter than its readiness and sooner.
        boolean workloadsReady =
                applied && seen.workloads().is(all -> all.stream().allMatch(w -> w.isReady() || isPrincipal(w)));
        if (!workloadsReady) {
            plan.waitForWorkloads(seen.workloads());
        }
        boolean serviceLeadsHere = seen.serviceEndpoints().is(Boolean::booleanValue);
        if (!labelled) {
            plan.waitFor("this machine's Node to be registered and labelled");
        }
        if (!serviceLeadsHere) {
            plan.waitFor("the kubernetes Service to lead to this node");
        }
        boolean frontProven = seen.frontProof().is(List::isEmpty);
        if (!frontProven) {
            plan.waitFor("proof that clients reach both API servers through the front");
        }
        if (settled && workloadsReady && labelled && serviceLeadsHere && frontProven) {
            return state.moveTo(Phase.SWITCHING, now);
        }
        return failWhenHopeless(seen, state, now, plan);
    }

    private PivotState switchOver(Observation seen, PivotState state, Instant now, Plan plan) {
        if (isDown(seen.principal())) {
            keepTemporaryControlPlane(seen, plan, Reason.PRINCIPAL_WENT_AWAY);
            return state.moveTo(Phase.SELF_HOSTING, now);
        }
        if (!seen.front().is(front -> front == Front.PRINCIPAL)) {
            plan.add(new Action.PointFrontToPrincipal(), Reason.SELF_HOSTED_IS_READY);
            plan.waitFor("the front to lead to the self-hosted API server");
            return state;
        }
        // Only an answer that began after the switch proves the new path.
        boolean reachesPrincipal = seen.endpointServer().is(server -> server == Server.PRINCIPAL);
        if (reachesPrincipal && isReady(seen.endpoint()) && isReady(seen.principal())) {
            return state.moveTo(Phase.TEARING_DOWN, now);
        }
        plan.waitFor("the final endpoint: " + describe(seen.endpoint()));
        return state;
    }

    private PivotState tearDown(Observation seen, PivotState state, Instant now, Plan plan) {
        boolean understudyKept = seen.manifests().get(API_SERVER) instanceof Known(Manifest manifest)
                && manifest == Manifest.OURS
                && isReady(seen.understudy());
        if (isDown(seen.principal()) && understudyKept) {
            keepTemporaryControlPlane(seen, plan, Reason.PRINCIPAL_WENT_AWAY);
            return state.moveTo(Phase.SELF_HOSTING, now);
        }
        if (!removeTemporary(seen, plan, Reason.TRAFFIC_HAS_MOVED)) {
            return state;
        }
        if (seen.stale() instanceof Known(List<Component> stale)
                && stale.isEmpty()
                && seen.secrets().is(kept -> !kept)) {
            return state.moveTo(Phase.ACCEPTING, now);
        }
        releaseLeases(seen, plan);
        if (!seen.secrets().is(kept -> !kept)) {
            plan.add(new Action.RemoveSecrets(), Reason.TEMPORARY_IS_GONE);
        }
        plan.waitFor("leases and files of the temporary control plane");
        return state;
    }

    private PivotState accept(Observation seen, PivotState state, Instant now, Plan plan) {
        return switch (seen.acceptance()) {
            case Known<Acceptance>(Acceptance.Passed ignored)
            when seen.workloads().is(all -> all.stream().allMatch(Workload::isReady)) -> state.moveTo(Phase.DONE, now);
            case Known<Acceptance>(Acceptance.Passed ignored) -> {
                plan.waitForWorkloads(seen.workloads());
                yield state;
            }
            case Known<Acceptance>(Acceptance.Failed(Problem problem)) ->
                // The new control plane serves alone: taking it away again would help nobody.
                state.failing(Phase.FAILED, List.of(problem), now);
            case Known<Acceptance>(Acceptance.Running ignored) -> {
                plan.waitFor("read, write, watch, a scheduled pod and its logs");
                yield state;
            }
            case Unknown<Acceptance>(String ignored) -> {
                plan.add(new Action.RunAcceptance(), Reason.TEMPORARY_IS_GONE);
                plan.waitFor("read, write, watch, a scheduled pod and its logs");
                yield state;
            }
        };
    }

    private PivotState rollBack(Observation seen, PivotState state, Instant now, Plan plan) {
        boolean gone = removeTemporary(seen, plan, Reason.GIVING_UP);
        boolean manifestsGone = seen.manifests().values().stream().allMatch(e -> e.is(m -> m != Manifest.OURS));
        Duration taken = Duration.between(state.since(), now);
        boolean patient = taken.compareTo(settings.removalPatience()) < 0;
        boolean late = taken.compareTo(settings.removalPatience().multipliedBy(2)) > 0;
        if (!late && !gone && (patient || !manifestsGone)) {
            return state;
        }
        boolean frontEmpty = seen.front().is(front -> front == Front.PRINCIPAL || front == Front.ABSENT);
        boolean secretsGone = seen.secrets().is(kept -> !kept);
        if ((frontEmpty && secretsGone) || late) {
            return gone && frontEmpty && secretsGone ? state.moveTo(Phase.FAILED, now) : stillRunning(state, seen, now);
        }
        if (!frontEmpty) {
            plan.add(new Action.PointFrontToPrincipal(), Reason.GIVING_UP);
        }
        if (!secretsGone) {
            plan.add(new Action.RemoveSecrets(), Reason.GIVING_UP);
        }
        return state;
    }

    /** A kubelet ends no pod before it has read its pods from an API server once (deletePod in pkg/kubelet/kubelet.go). */
    private static PivotState stillRunning(PivotState state, Observation seen, Instant now) {
        List<Problem> failures = new ArrayList<>(state.failures());
        for (Component component : Component.values()) {
            if (!probeOf(component, seen).is(health -> health instanceof NotListening)) {
                failures.add(new Problem(
                        ErrorCode.COMPONENT_FAILED,
                        "temporary " + component.binary(),
                        "still runs although its manifest is removed: a kubelet that has never reached an API server ends no"
                                + " pod",
                        "",
                        "it does no harm and is used again by the next start; to end it now, stop the kubelet and then its"
                                + " container"));
            }
        }
        if (!seen.secrets().is(kept -> !kept)) {
            failures.add(leftBehind("the copied keys in /etc/kubernetes/bootstrap-secrets"));
        }
        if (!seen.front().is(front -> front == Front.PRINCIPAL || front == Front.ABSENT)) {
            failures.add(leftBehind("the front's table, inet ouroboros in 'nft list ruleset'"));
        }
        return state.failing(Phase.FAILED, failures, now);
    }

    private static Problem leftBehind(String what) {
        return new Problem(
                ErrorCode.COMPONENT_FAILED, "start", "could not remove " + what, "", "run the same command again");
    }

    private static boolean isPrincipal(Workload workload) {
        return workload.name().equals("kube-system/" + API_SERVER.binary());
    }

    /** As {@link #failWhenHopeless}, where the self-hosted control plane serves and is kept. */
    private PivotState failLate(PivotState state, Observation seen, Instant now, Plan plan) {
        if (state.phase().isFinal()) {
            return state;
        }
        List<Problem> why = new ArrayList<>(seen.refusals());
        if (Duration.between(state.since(), now).compareTo(settings.phaseDeadline()) > 0) {
            why.add(tooLate(state.phase(), seen, plan));
        }
        return why.isEmpty() ? state : state.failing(Phase.FAILED, why, now);
    }

    /** Asks for the temporary API server and the way to it, as far as they are not there. */
    private static void keepUnderstudy(Observation seen, Plan plan) {
        if (!seen.secrets().is(Boolean::booleanValue)) {
            plan.add(new Action.CopySecrets(), Reason.CLIENTS_NEED_A_FIRST_SERVER);
        }
        keepFront(seen, plan, Reason.CLIENTS_NEED_A_FIRST_SERVER);
        keepManifest(API_SERVER, seen, plan, Reason.CLIENTS_NEED_A_FIRST_SERVER);
        // It waits for an API server without harm, and begins to lead as soon as there is one.
        keepManifest(Component.CONTROLLER_MANAGER, seen, plan, Reason.CLIENTS_NEED_A_FIRST_SERVER);
    }

    private static void keepTemporaryControlPlane(Observation seen, Plan plan) {
        keepTemporaryControlPlane(seen, plan, Reason.API_SERVER_ANSWERS);
    }

    private static void keepTemporaryControlPlane(Observation seen, Plan plan, Reason reason) {
        keepUnderstudy(seen, plan);
        // Without an API server its first lists fail, and it tries them again after ever longer pauses.
        if (isReady(seen.understudy())) {
            keepManifest(Component.SCHEDULER, seen, plan, reason);
        }
    }

    private static void keepFront(Observation seen, Plan plan, Reason reason) {
        switch (seen.front()) {
            case Known<Front>(Front front) -> {
                switch (front) {
                    case ABSENT -> {
                        plan.add(new Action.InstallFront(), Reason.FRONT_IS_MISSING);
                        plan.add(new Action.PointFrontToUnderstudy(), reason);
                    }
                    case PRINCIPAL -> plan.add(new Action.PointFrontToUnderstudy(), reason);
                    case UNDERSTUDY_EXPIRING -> plan.add(new Action.PointFrontToUnderstudy(), Reason.LEASE_RUNS_OUT);
                    case UNDERSTUDY -> {}
                }
            }
            case Unknown<Front>(String why) -> plan.waitFor("the front's state: " + why);
        }
    }

    private static void keepManifest(Component component, Observation seen, Plan plan, Reason reason) {
        if (seen.manifests().get(component) instanceof Known(Manifest manifest) && manifest == Manifest.ABSENT) {
            plan.add(new Action.WriteManifest(component), reason);
        }
    }

    private static void tendNode(Observation seen, Plan plan) {
        boolean provable = isReady(seen.understudy()) && seen.front().is(front -> front == Front.UNDERSTUDY);
        if (provable && seen.frontProof() instanceof Unknown) {
            plan.add(new Action.ProveFront(), Reason.FRONT_IS_NOT_PROVEN);
        }
        if (seen.node().is(node -> node.registered() && !node.labelled())) {
            plan.add(new Action.LabelNode(), Reason.NODE_REGISTERED);
        }
        if (seen.serviceEndpoints().is(leadsHere -> !leadsHere)) {
            plan.add(new Action.WriteServiceEndpoints(), Reason.SERVICE_MUST_LEAD_HERE);
        }
    }

    /** The kubelet's token and its right to ask for a certificate are in place once the manifests are. */
    private static void letKubeletJoin(Observation seen, Plan plan) {
        boolean absent = seen.node().is(node -> !node.registered());
        if (absent && seen.kubeletRestartPending().is(Boolean::booleanValue)) {
            plan.add(new Action.RestartKubelet(), Reason.KUBELET_HAS_NOT_JOINED);
        }
    }

    /** True when every temporary component is known to be gone; asks for the removal of those that are not. */
    private static boolean removeTemporary(Observation seen, Plan plan, Reason reason) {
        boolean gone = true;
        for (Component component : Component.values()) {
            if (!seen.manifests().getOrDefault(component, Evidence.unknown("")).is(m -> m != Manifest.OURS)) {
                plan.add(new Action.RemoveManifest(component), reason);
                gone = false;
            }
            if (!probeOf(component, seen).is(health -> health instanceof NotListening)) {
                plan.waitFor("temporary " + component.binary() + " to end");
                gone = false;
            }
        }
        return gone;
    }

    private static void releaseLeases(Observation seen, Plan plan) {
        if (seen.stale() instanceof Known(List<Component> stale)) {
            stale.forEach(component -> plan.add(new Action.ReleaseLease(component), Reason.HOLDER_IS_GONE));
        }
    }

    private static Evidence<Health> probeOf(Component component, Observation seen) {
        return component == API_SERVER
                ? seen.understudy()
                : seen.helpers().getOrDefault(component, Evidence.unknown("not probed"));
    }

    private PivotState failWhenHopeless(Observation seen, PivotState state, Instant now, Plan plan) {
        List<Problem> hopeless = new ArrayList<>(seen.refusals());
        hopeless.addAll(seen.frontProof().orElse(List.of()));
        for (Crash crash : seen.crashes().orElse(List.of())) {
            if (crash.restarts() >= settings.maximumRestarts() && !isReady(probeOf(crash.component(), seen))) {
                hopeless.add(crashed("temporary " + crash.component().binary(), crash.restarts(), crash.lastLines()));
            }
        }
        for (Workload workload : seen.workloads().orElse(List.of())) {
            if (!workload.isReady() && workload.restarts() >= settings.maximumRestarts()) {
                hopeless.add(crashed(workload.name(), workload.restarts(), workload.detail()));
            }
        }
        if (hopeless.isEmpty() && Duration.between(state.since(), now).compareTo(settings.phaseDeadline()) > 0) {
            hopeless.add(tooLate(state.phase(), seen, plan));
        }
        return hopeless.isEmpty() ? state : giveUp(state, hopeless, now, plan);
    }

    private static PivotState giveUp(PivotState state, List<Problem> why, Instant now, Plan plan) {
        plan.clear();
        return state.failing(Phase.ROLLING_BACK, why, now);
    }

    private static Problem crashed(String component, int restarts, String lastLines) {
        return new Problem(
                ErrorCode.COMPONENT_FAILED,
                component,
                "ended " + restarts + " times without becoming ready; its last lines:\n" + lastLines.strip(),
                "",
                "mend what it complains about and run the same command again");
    }

    private Problem tooLate(Phase phase, Observation seen, Plan plan) {
        StringBuilder what = new StringBuilder(phase.description())
                .append(" took longer than ")
                .append(settings.phaseDeadline().toSeconds())
                .append(" s; still waiting for ")
                .append(String.join("; ", plan.waiting));
        for (Crash crash : seen.crashes().orElse(List.of())) {
            what.append("\nlast lines of ")
                    .append(crash.component().temporaryPod())
                    .append(":\n")
                    .append(crash.lastLines().strip());
        }
        return new Problem(ErrorCode.TIMEOUT, "start", what.toString(), "", "run the same command again to go on");
    }

    private static List<Problem> foreignManifests(Observation seen) {
        return seen.manifests().entrySet().stream()
                .filter(entry -> entry.getValue().is(manifest -> manifest == Manifest.FOREIGN))
                .map(java.util.Map.Entry::getKey)
                .sorted()
                .map(component -> new Problem(
                        ErrorCode.FOREIGN_FILE,
                        "static manifest " + component.temporaryPod(),
                        "the kubelet's manifest directory already has one that ouro did not write",
                        "no file there, or ours",
                        "move it away if it is not needed and run the same command again"))
                .toList();
    }

    private static boolean nothingTemporary(Observation seen) {
        return seen.manifests().values().stream().allMatch(e -> e.is(manifest -> manifest == Manifest.ABSENT));
    }

    private static boolean isReady(Evidence<Health> health) {
        return health.is(value -> value instanceof Ready);
    }

    /** Known not to serve; an unknown probe is no reason to act. */
    private static boolean isDown(Evidence<Health> health) {
        return health.is(value -> !(value instanceof Ready));
    }

    private static String describe(Evidence<Health> evidence) {
        return switch (evidence) {
            case Unknown<Health>(String reason) -> reason;
            case Known<Health>(NotListening ignored) -> "does not listen yet";
            case Known<Health>(NotReady(String detail)) -> "not ready: " + detail;
            case Known<Health>(Ready ignored) -> "ready";
        };
    }

    /** Collects the actions and waits of one decision. */
    private static final class Plan {
        private final List<Planned> actions = new ArrayList<>();
        private final List<String> waiting = new ArrayList<>();

        void add(Action action, Reason reason) {
            actions.add(new Planned(action, reason));
        }

        void waitFor(String what) {
            waiting.add(what);
        }

        void waitForWorkloads(Evidence<List<Workload>> workloads) {
            switch (workloads) {
                case Unknown<List<Workload>>(String reason) -> waitFor("self-hosted workloads: " + reason);
                case Known<List<Workload>>(List<Workload> all) ->
                    all.stream()
                            .filter(workload -> !workload.isReady())
                            .forEach(workload -> waitFor(workload.name() + ": " + workload.ready() + " of "
                                    + workload.desired() + " ready"
                                    + (workload.detail().isEmpty() ? "" : " (" + workload.detail() + ")")));
            }
        }

        void clear() {
            actions.clear();
        }

        Decision decision(PivotState next) {
            return new Decision(next, actions, waiting);
        }
    }
}
