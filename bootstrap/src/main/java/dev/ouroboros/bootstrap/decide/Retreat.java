package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.bootstrap.decide.PivotObservation.Crash;
import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.NodeView;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.model.start.SelfHostedWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** When a pivot gives up, and how it takes back what it started. */
final class Retreat {
    /**
     * How long people have to mend a self-hosted component through the temporary API server, the only one that answers when the former
     * manifests were bad. Until then a pod's restart count may stem from a former template and says nothing about the present one; a new
     * pod needs longer than this to have ended too often.
     */
    private static final Duration MENDING = Duration.ofMinutes(2);

    private final PivotSettings settings;
    private final Handover handover;

    Retreat(PivotSettings settings, Handover handover) {
        this.settings = settings;
        this.handover = handover;
    }

    PivotState whenHopeless(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        List<Problem> hopeless = new ArrayList<>(seen.refusals());
        hopeless.addAll(seen.frontProof().orElse(List.of()));
        boolean isServed = state.phase() == Phase.COMPLETING;
        if (!isServed
                && seen.node() instanceof Known(NodeView node)
                && !node.others().isEmpty()) {
            hopeless.add(severalControlPlaneNodes(node.others()));
        }
        boolean settled = isSettled(seen, state, now);
        for (Crash crash : seen.crashes().orElse(List.of())) {
            boolean itsOwn = crash.component() == Component.API_SERVER || settled;
            if (crash.restarts() >= settings.maximumRestarts()
                    && itsOwn
                    && isWanted(crash.component(), state)
                    && !Health.isReady(seen.probeOf(crash.component()))) {
                hopeless.add(crashed(
                        "temporary " + crash.component().id(),
                        crash.restarts(),
                        lastLinesOf(crash.component().temporaryPod(), crash.lastLines())));
            }
        }
        for (SelfHostedWorkload workload : seen.workloads().orElse(List.of())) {
            if (!workload.isReady()
                    && workload.restarts() >= settings.maximumRestarts()
                    && settled
                    && !waitsForPort(workload)) {
                hopeless.add(crashed(workload.name(), workload.restarts(), explained(workload)));
            }
        }
        if (hopeless.isEmpty() && isStuck(state, now)) {
            hopeless.add(stuck(state.phase(), seen, plan));
        }
        return hopeless.isEmpty() ? state : giveUp(state, hopeless, now, plan);
    }

    /**
     * Whether nothing has come forward for a while although clients are answered in time. Else an end says nothing about what ended: on a
     * slow machine a controller manager ends whenever an API server that boots, or its own start, keeps it from renewing its Lease.
     */
    private static boolean isSettled(PivotObservation seen, PivotState state, Instant now) {
        boolean answered = seen.endpoint()
                .is(health -> health instanceof Health.Ready(Instant since)
                        && Duration.between(since, now).compareTo(MENDING) > 0);
        return answered && Duration.between(state.progress().since(), now).compareTo(MENDING) > 0;
    }

    /** Whether the temporary component is not one that has been removed. */
    private static boolean isWanted(Component component, PivotState state) {
        return component != Component.API_SERVER || state.phase() != Phase.COMPLETING;
    }

    /** Whether the workload keeps ending only because the temporary API server still has its port. */
    private boolean waitsForPort(SelfHostedWorkload workload) {
        return handover == Handover.OUTAGE && workload.isApiServer();
    }

    /** Whether nothing new came into place within the deadline; a pivot that is slow but progresses is waited for. */
    private boolean isStuck(PivotState state, Instant now) {
        return Duration.between(state.progress().since(), now).compareTo(settings.progressDeadline()) > 0;
    }

    /** As {@link #whenHopeless}, where the self-hosted control plane serves and is kept. */
    PivotState whenLate(PivotState state, PivotObservation seen, Instant now, PivotPlan plan) {
        if (state.phase().isFinal()) {
            return state;
        }
        List<Problem> why = new ArrayList<>(seen.refusals());
        if (isStuck(state, now)) {
            why.add(stuck(state.phase(), seen, plan));
        }
        return why.isEmpty() ? state : state.failing(Phase.FAILED, why, now);
    }

    PivotState rollBack(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        boolean gone = Upkeep.removeTemporary(seen, plan, PivotReason.GIVING_UP);
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
            plan.add(new PivotAction.PointFrontToPrincipal(), PivotReason.GIVING_UP);
        }
        if (!secretsGone) {
            plan.add(new PivotAction.RemoveSecrets(), PivotReason.GIVING_UP);
        }
        return state;
    }

    /** A kubelet ends no pod before it has read its pods from an API server once (deletePod in pkg/kubelet/kubelet.go). */
    private static PivotState stillRunning(PivotState state, PivotObservation seen, Instant now) {
        List<Problem> failures = new ArrayList<>(state.failures());
        for (Component component : Component.WITH_UNDERSTUDY) {
            if (!seen.probeOf(component).is(health -> health instanceof NotListening)) {
                failures.add(new Problem(
                        ErrorCode.COMPONENT_FAILED,
                        "temporary " + component.id(),
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

    private static Problem severalControlPlaneNodes(List<String> others) {
        return new Problem(
                ErrorCode.UNSUPPORTED_CLUSTER,
                "Nodes",
                "this cluster has other control-plane nodes: " + String.join(", ", others),
                "one control-plane node: the front of this one leads to its own API servers only",
                "delete the Nodes of machines that are gone, or take the control-plane label from those that are workers");
    }

    private static PivotState giveUp(PivotState state, List<Problem> why, Instant now, PivotPlan plan) {
        plan.clear();
        return state.failing(Phase.ROLLING_BACK, why, now);
    }

    private static Problem crashed(String component, int restarts, String why) {
        return new Problem(
                ErrorCode.COMPONENT_FAILED,
                component,
                "ended " + restarts + " times without becoming ready" + why,
                "",
                "mend what it complains about and run the same command again; what is in the cluster already is changed with"
                        + " kubectl while start runs, and its pod deleted");
    }

    private Problem stuck(Phase phase, PivotObservation seen, PivotPlan plan) {
        StringBuilder what = new StringBuilder(phase.description())
                .append(" came no further for ")
                .append(settings.progressDeadline().toSeconds())
                .append(" s; still waiting for ")
                .append(String.join("; ", plan.waiting()));
        for (Crash crash : seen.crashes().orElse(List.of())) {
            what.append(lastLinesOf(crash.component().temporaryPod(), crash.lastLines()));
        }
        for (SelfHostedWorkload workload : seen.workloads().orElse(List.of())) {
            if (!workload.isReady()) {
                what.append(lastLines(workload));
            }
        }
        return new Problem(
                ErrorCode.TIMEOUT,
                "start",
                what.toString(),
                "",
                "run it again, with a longer --timeout if this machine is slow: what was applied to the cluster stays, and the temporary"
                        + " control plane is started anew");
    }

    private static String explained(SelfHostedWorkload workload) {
        return (workload.detail().isEmpty() ? "" : " (" + workload.detail() + ")") + lastLines(workload);
    }

    private static String lastLines(SelfHostedWorkload workload) {
        return workload.unready().stream()
                .map(container -> lastLinesOf(
                        container.namespace() + "/" + container.pod() + ", container " + container.name(),
                        container.lastLines()))
                .collect(Collectors.joining());
    }

    private static String lastLinesOf(String container, String lines) {
        return lines.isBlank() ? "" : "\nlast lines of " + container + ":\n" + lines.strip();
    }
}
