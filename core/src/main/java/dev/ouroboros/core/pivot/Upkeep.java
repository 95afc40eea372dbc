package dev.ouroboros.core.pivot;

import static dev.ouroboros.core.component.Component.API_SERVER;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.evidence.Evidence.Unknown;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.core.evidence.Health.NotListening;
import dev.ouroboros.core.pivot.Observation.Front;
import dev.ouroboros.core.pivot.Observation.Manifest;
import java.util.List;

/** Asks for what a phase needs and the observation does not show, and for the removal of what it must not show any more. */
final class Upkeep {
    private final Handover handover;

    Upkeep(Handover handover) {
        this.handover = handover;
    }

    /** Asks for the temporary API server and the way to it, as far as they are not there. */
    void keepUnderstudy(Observation seen, Plan plan) {
        if (!seen.secrets().is(Boolean::booleanValue)) {
            plan.add(new Action.CopySecrets(), Reason.CLIENTS_NEED_A_FIRST_SERVER);
        }
        keepFront(seen, plan, Reason.CLIENTS_NEED_A_FIRST_SERVER);
        keepManifest(API_SERVER, seen, plan, Reason.CLIENTS_NEED_A_FIRST_SERVER);
        // It waits for an API server without harm, and begins to lead as soon as there is one.
        keepManifest(Component.CONTROLLER_MANAGER, seen, plan, Reason.CLIENTS_NEED_A_FIRST_SERVER);
    }

    void keepTemporaryControlPlane(Observation seen, Plan plan) {
        keepTemporaryControlPlane(seen, plan, Reason.API_SERVER_ANSWERS);
    }

    void keepTemporaryControlPlane(Observation seen, Plan plan, Reason reason) {
        keepUnderstudy(seen, plan);
        // Without an API server its first lists fail, and it tries them again after ever longer pauses.
        if (Health.isReady(seen.understudy())) {
            keepManifest(Component.SCHEDULER, seen, plan, reason);
        }
    }

    private void keepFront(Observation seen, Plan plan, Reason reason) {
        if (handover == Handover.OUTAGE) {
            return;
        }
        if (Health.isReady(seen.principal()) && !Health.isReady(seen.understudy())) {
            leaveTemporary(seen, plan);
            return;
        }
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

    /** Its port may be open, with nobody who answers: then only this leads clients away from it. */
    private static void leaveTemporary(Observation seen, Plan plan) {
        boolean leadsThere = seen.front().is(front -> front == Front.UNDERSTUDY || front == Front.UNDERSTUDY_EXPIRING);
        if (leadsThere && seen.understudy() instanceof Known<Health>) {
            plan.add(new Action.PointFrontToPrincipal(), Reason.TEMPORARY_DOES_NOT_ANSWER);
        }
    }

    private static void keepManifest(Component component, Observation seen, Plan plan, Reason reason) {
        if (seen.manifests().get(component) instanceof Known(Manifest manifest) && manifest == Manifest.ABSENT) {
            plan.add(new Action.WriteManifest(component), reason);
        }
    }

    void tendNode(Observation seen, Plan plan) {
        if (handover == Handover.FRONT) {
            tendFront(seen, plan);
        }
        if (seen.node().is(node -> node.registered() && !node.labelled())) {
            plan.add(new Action.LabelNode(), Reason.NODE_REGISTERED);
        }
    }

    private static void tendFront(Observation seen, Plan plan) {
        boolean provable = Health.isReady(seen.understudy()) && seen.front().is(front -> front == Front.UNDERSTUDY);
        if (provable && seen.frontProof() instanceof Unknown) {
            plan.add(new Action.ProveFront(), Reason.FRONT_IS_NOT_PROVEN);
        }
        if (seen.serviceEndpoints().is(leadsHere -> !leadsHere)) {
            plan.add(new Action.WriteServiceEndpoints(), Reason.SERVICE_MUST_LEAD_HERE);
        }
    }

    /** Nothing is asked of the kubelet between the start of the first temporary servers and the moment when they are ready. */
    static void restartKubeletMeanwhile(Observation seen, Plan plan) {
        boolean bothRun =
                Health.listens(seen.understudy()) && Health.listens(seen.probeOf(Component.CONTROLLER_MANAGER));
        if (bothRun && seen.kubeletRestartPending().is(Boolean::booleanValue)) {
            plan.add(new Action.RestartKubelet(), Reason.KUBELET_STARTS_SLOWLY);
        }
    }

    /** The kubelet's token and its right to ask for a certificate are in place once the manifests are. */
    static void letKubeletJoin(Observation seen, Plan plan) {
        boolean absent = seen.node().is(node -> !node.registered());
        if (absent && seen.kubeletRestartPending().is(Boolean::booleanValue)) {
            plan.add(new Action.RestartKubelet(), Reason.KUBELET_HAS_NOT_JOINED);
        }
    }

    /** True when every temporary component is known to be gone; asks for the removal of those that are not. */
    static boolean removeTemporary(Observation seen, Plan plan, Reason reason) {
        boolean gone = true;
        for (Component component : Component.WITH_UNDERSTUDY) {
            if (!seen.manifests().getOrDefault(component, Evidence.unknown("")).is(m -> m != Manifest.OURS)) {
                plan.add(new Action.RemoveManifest(component), reason);
                gone = false;
            }
            if (!seen.probeOf(component).is(health -> health instanceof NotListening)) {
                plan.waitFor("temporary " + component.id() + " to end");
                gone = false;
            }
        }
        return gone;
    }

    static void releaseLeases(Observation seen, Plan plan) {
        if (seen.stale() instanceof Known(List<Component> stale)) {
            stale.forEach(component -> plan.add(new Action.ReleaseLease(component), Reason.HOLDER_IS_GONE));
        }
    }
}
