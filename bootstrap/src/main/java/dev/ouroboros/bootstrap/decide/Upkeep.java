package dev.ouroboros.bootstrap.decide;

import static dev.ouroboros.model.component.Component.API_SERVER;

import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.NotListening;
import java.util.List;

/** Asks for what a phase needs and is missing in the observation, and for the removal of what must be gone in the phase. */
final class Upkeep {
    private final Handover handover;

    Upkeep(Handover handover) {
        this.handover = handover;
    }

    /** Asks for the temporary API server and the way to it, as far as they are not there. */
    void keepUnderstudy(PivotObservation seen, PivotPlan plan) {
        if (!seen.secrets().is(Boolean::booleanValue)) {
            plan.add(new PivotAction.CopySecrets(), PivotReason.CLIENTS_NEED_A_FIRST_SERVER);
        }
        keepFront(seen, plan, PivotReason.CLIENTS_NEED_A_FIRST_SERVER);
        keepManifest(API_SERVER, seen, plan, PivotReason.CLIENTS_NEED_A_FIRST_SERVER);
        // The controller manager waits for an API server without harm, and becomes leader as soon as there is one.
        keepManifest(Component.CONTROLLER_MANAGER, seen, plan, PivotReason.CLIENTS_NEED_A_FIRST_SERVER);
    }

    void keepTemporaryControlPlane(PivotObservation seen, PivotPlan plan) {
        keepTemporaryControlPlane(seen, plan, PivotReason.API_SERVER_ANSWERS);
    }

    void keepTemporaryControlPlane(PivotObservation seen, PivotPlan plan, PivotReason reason) {
        keepUnderstudy(seen, plan);
        // Without an API server the scheduler's first lists fail, and it retries them with growing back-off.
        if (Health.isReady(seen.understudy())) {
            keepManifest(Component.SCHEDULER, seen, plan, reason);
        }
    }

    /** Asks for those who make the pods of the self-hosted workloads, as far as they are not there. */
    static void keepTemporaryControllers(PivotObservation seen, PivotPlan plan) {
        keepManifest(Component.CONTROLLER_MANAGER, seen, plan, PivotReason.OTHERS_NEED_CONTROLLERS);
        keepManifest(Component.SCHEDULER, seen, plan, PivotReason.OTHERS_NEED_CONTROLLERS);
    }

    private void keepFront(PivotObservation seen, PivotPlan plan, PivotReason reason) {
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
                        plan.add(new PivotAction.InstallFront(), PivotReason.FRONT_IS_MISSING);
                        plan.add(new PivotAction.PointFrontToUnderstudy(), reason);
                    }
                    case PRINCIPAL -> {
                        // One that is late once is better than one that only begins.
                        if (Health.isReady(seen.understudy()) || !Health.listens(seen.principal())) {
                            plan.add(new PivotAction.PointFrontToUnderstudy(), reason);
                        }
                    }
                    case UNDERSTUDY_EXPIRING ->
                        plan.add(new PivotAction.PointFrontToUnderstudy(), PivotReason.LEASE_RUNS_OUT);
                    case UNDERSTUDY -> {}
                }
            }
            case Unknown<Front>(String why) -> plan.waitFor("the front's state: " + why);
        }
    }

    /** The temporary server's port may be open while nothing answers: then only this leads clients away from it. */
    private static void leaveTemporary(PivotObservation seen, PivotPlan plan) {
        boolean leadsThere = seen.front().is(front -> front == Front.UNDERSTUDY || front == Front.UNDERSTUDY_EXPIRING);
        if (leadsThere && seen.understudy() instanceof Known<Health>) {
            plan.add(new PivotAction.PointFrontToPrincipal(), PivotReason.TEMPORARY_DOES_NOT_ANSWER);
        }
    }

    private static void keepManifest(Component component, PivotObservation seen, PivotPlan plan, PivotReason reason) {
        if (seen.manifests().get(component) instanceof Known(Manifest manifest) && manifest == Manifest.ABSENT) {
            plan.add(new PivotAction.WriteManifest(component), reason);
        }
    }

    void tendNode(PivotObservation seen, PivotPlan plan) {
        if (handover == Handover.FRONT) {
            tendFront(seen, plan);
        }
        if (seen.node().is(node -> node.registered() && !node.labelled())) {
            plan.add(new PivotAction.LabelNode(), PivotReason.NODE_REGISTERED);
        }
    }

    private static void tendFront(PivotObservation seen, PivotPlan plan) {
        boolean provable = Health.isReady(seen.understudy()) && seen.front().is(front -> front == Front.UNDERSTUDY);
        if (provable && seen.frontProof() instanceof Unknown) {
            plan.add(new PivotAction.ProveFront(), PivotReason.FRONT_IS_NOT_PROVEN);
        }
        if (seen.serviceEndpoints().is(leadsHere -> !leadsHere)) {
            plan.add(new PivotAction.WriteServiceEndpoints(), PivotReason.SERVICE_MUST_LEAD_HERE);
        }
    }

    /** Nothing is asked of the kubelet between the start of the first temporary servers and the moment when they are ready. */
    static void restartKubeletMeanwhile(PivotObservation seen, PivotPlan plan) {
        boolean bothRun =
                Health.listens(seen.understudy()) && Health.listens(seen.probeOf(Component.CONTROLLER_MANAGER));
        if (bothRun && seen.kubeletRestartPending().is(Boolean::booleanValue)) {
            plan.add(new PivotAction.RestartKubelet(), PivotReason.KUBELET_STARTS_SLOWLY);
        }
    }

    /** The kubelet's token and its right to ask for a certificate are in place once the manifests are. */
    static void letKubeletJoin(PivotObservation seen, PivotPlan plan) {
        boolean absent = seen.node().is(node -> !node.registered());
        if (absent && seen.kubeletRestartPending().is(Boolean::booleanValue)) {
            plan.add(new PivotAction.RestartKubelet(), PivotReason.KUBELET_HAS_NOT_JOINED);
        }
    }

    /** True when every temporary component is known to be gone; asks for the removal of those that are not. */
    static boolean removeTemporary(PivotObservation seen, PivotPlan plan, PivotReason reason) {
        boolean gone = true;
        for (Component component : Component.WITH_UNDERSTUDY) {
            gone &= remove(component, seen, plan, reason);
        }
        return gone;
    }

    /** True when the temporary API server is known to be gone; asks for its removal otherwise, once the self-hosted one is known to serve. */
    static boolean removeTemporaryApiServer(PivotObservation seen, PivotPlan plan) {
        boolean isThere = !seen.manifests()
                .getOrDefault(API_SERVER, Evidence.unknown(""))
                .is(manifest -> manifest == Manifest.ABSENT);
        if (isThere && !Health.isReady(seen.principal())) {
            plan.waitFor("self-hosted kube-apiserver: " + Health.describe(seen.principal()));
            return false;
        }
        return remove(API_SERVER, seen, plan, PivotReason.TRAFFIC_HAS_MOVED);
    }

    private static boolean remove(Component component, PivotObservation seen, PivotPlan plan, PivotReason reason) {
        boolean gone = true;
        if (!seen.manifests().getOrDefault(component, Evidence.unknown("")).is(m -> m != Manifest.OURS)) {
            plan.add(new PivotAction.RemoveManifest(component), reason);
            gone = false;
        }
        if (!seen.probeOf(component).is(health -> health instanceof NotListening)) {
            plan.waitFor("temporary " + component.id() + " to end");
            gone = false;
        }
        return gone;
    }

    static void releaseLeases(PivotObservation seen, PivotPlan plan) {
        if (seen.stale() instanceof Known(List<Component> stale)) {
            stale.forEach(
                    component -> plan.add(new PivotAction.ReleaseLeaderLease(component), PivotReason.HOLDER_IS_GONE));
        }
    }
}
