package dev.ouroboros.bootstrap.decide;

import static dev.ouroboros.model.component.Component.API_SERVER;

import dev.ouroboros.bootstrap.decide.PivotObservation.Acceptance;
import dev.ouroboros.bootstrap.decide.PivotObservation.Front;
import dev.ouroboros.bootstrap.decide.PivotObservation.Manifest;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.evidence.Health.Ready;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.NodeView;
import dev.ouroboros.model.start.Phase;
import dev.ouroboros.model.start.SelfHostedWorkload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

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
 * SELF_HOSTING       -> SWITCHING            every self-hosted workload is ready, the API server for {@link PivotSettings#settle}, and it reads
 *                                            Secrets, if the temporary one does
 *                                            on a slow machine as soon as the API server is
 * SWITCHING          -> TEARING_DOWN         the front leads to the principal and the final endpoint answers
 *                    -> COMPLETING           the same on a slow machine
 *                    -> SELF_HOSTING         the principal went away, or cannot read Secrets: the understudy still serves
 * COMPLETING         -> TEARING_DOWN         the temporary API server has ended, and every self-hosted workload is ready
 *                    -> SELF_HOSTING         the principal went away before the understudy's manifest was removed, or is closed
 * TEARING_DOWN       -> ACCEPTING            nothing temporary listens any more
 *                    -> SELF_HOSTING         the principal went away before the understudy's manifest was removed
 * ACCEPTING          -> DONE | FAILED        the operations a user needs work, or do not
 * SWITCHING, TEARING_DOWN, ACCEPTING -> FAILED     no progress until a deadline: the self-hosted control plane is kept
 * any before SWITCHING, COMPLETING -> ROLLING_BACK -> FAILED   no progress until a deadline, or something was refused for good,
 *                                                  or there are other control-plane nodes
 *
 * with {@link Handover#OUTAGE}, where nothing can be switched:
 * SELF_HOSTING       -> TEARING_DOWN         every other self-hosted workload is ready, the API server's has begun (its port is taken)
 * </pre>
 *
 * <p>What holds in every state: new connections are sent to the understudy only while it is needed, and away from it only when
 * the principal is ready; nothing foreign is written or removed; nothing temporary is removed on unknown evidence.
 */
public final class Pivot {
    /**
     * How long after everything was applied an API server's pod of a former template is left alone: most servers are ready after a
     * quarter of it.
     */
    private static final Duration STARTING = Duration.ofMinutes(1);

    /** A temporary API server that takes longer is on a slow machine: elsewhere it is ready after some seconds. */
    private static final Duration SLOW = Duration.ofMinutes(1);

    private final PivotSettings settings;
    private final Handover handover;
    private final Upkeep upkeep;
    private final Retreat retreat;

    public Pivot(PivotSettings settings, Handover handover) {
        this.settings = settings;
        this.handover = handover;
        this.upkeep = new Upkeep(handover);
        this.retreat = new Retreat(settings, handover);
    }

    public PivotDecision decide(PivotObservation seen, PivotState before, Instant now) {
        PivotPlan plan = new PivotPlan();
        PivotState state = before.seeing(seen, now);
        PivotState next = switch (state.phase()) {
            case PREPARING -> prepare(seen, state, now, plan);
            case STARTING_TEMPORARY -> startTemporary(seen, state, now, plan);
            case APPLYING -> apply(seen, state, now, plan);
            case SELF_HOSTING -> selfHost(seen, state, now, plan);
            case SWITCHING -> retreat.whenLate(switchOver(seen, state, now, plan), seen, now, plan);
            case COMPLETING -> complete(seen, state, now, plan);
            case TEARING_DOWN -> retreat.whenLate(tearDown(seen, state, now, plan), seen, now, plan);
            case ACCEPTING -> retreat.whenLate(accept(seen, state, now, plan), seen, now, plan);
            case ROLLING_BACK -> retreat.rollBack(seen, state, now, plan);
            case DONE, FAILED -> state;
        };
        return plan.decision(next);
    }

    private PivotState prepare(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
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

    /** Where every workload is ready, no temporary control plane is needed; otherwise one may be needed to mend a workload. */
    private PivotState joinLiving(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        boolean patient = Duration.between(state.since(), now).compareTo(settings.removalPatience()) < 0;
        if (seen.workloads() instanceof Unknown && patient) {
            plan.waitFor("the workloads of the control plane that answers");
            return state;
        }
        boolean living = seen.workloads().is(all -> all.stream().allMatch(SelfHostedWorkload::isReady));
        return state.moveTo(living ? Phase.ACCEPTING : Phase.STARTING_TEMPORARY, now);
    }

    private PivotState startTemporary(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        upkeep.keepUnderstudy(seen, plan);
        if (Health.isReady(seen.understudy())) {
            boolean isSlow = Duration.between(state.since(), now).compareTo(SLOW) > 0;
            return state.moveTo(Phase.APPLYING, now).slow(isSlow);
        }
        if (settings.kubeletStartsSlowly()) {
            Upkeep.restartKubeletMeanwhile(seen, plan);
        }
        plan.waitFor("temporary kube-apiserver: " + Health.describe(seen.understudy()));
        return retreat.whenHopeless(seen, state, now, plan);
    }

    private PivotState apply(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        upkeep.keepTemporaryControlPlane(seen, plan);
        upkeep.tendNode(seen, plan);
        return switch (seen.applied()) {
            case Known<PivotObservation.Applied>(PivotObservation.Applied applied)
            when applied.isComplete() -> state.moveTo(Phase.SELF_HOSTING, now);
            case Known<PivotObservation.Applied>(PivotObservation.Applied applied) -> {
                plan.add(new PivotAction.ApplyManifests(), PivotReason.API_SERVER_ANSWERS);
                plan.waitFor("manifests: " + applied.done() + " of " + applied.total() + " in place");
                yield retreat.whenHopeless(seen, state, now, plan);
            }
            case Unknown<PivotObservation.Applied>(String reason) -> {
                plan.add(new PivotAction.ApplyManifests(), PivotReason.API_SERVER_ANSWERS);
                plan.waitFor("manifests: " + reason);
                yield retreat.whenHopeless(seen, state, now, plan);
            }
        };
    }

    private PivotState selfHost(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        upkeep.keepTemporaryControlPlane(seen, plan);
        upkeep.tendNode(seen, plan);
        Upkeep.letKubeletJoin(seen, plan);
        boolean labelled = seen.node().is(NodeView::labelled);
        boolean applied = seen.workloadsApplied().is(PivotObservation.Applied::isComplete);
        if (!labelled) {
            plan.waitFor("this machine's Node to be registered and labelled");
        }
        boolean apiServer = apiServerCanTakeOver(seen, now, plan);
        boolean apiServerFirst = state.isSlow() && handover == Handover.FRONT;
        if (labelled && !applied) {
            applyWorkloads(seen, state.isSlow() && (apiServerFirst || !apiServer), plan);
        }
        if (!apiServer) {
            replaceOutdatedApiServer(seen, state, now, plan);
        }
        // The API server's own pod is judged by our probe, which is stricter than its readiness and sooner.
        boolean others = apiServerFirst || (applied && othersAreReady(seen));
        if (!others || (apiServerFirst && !apiServer)) {
            plan.waitForWorkloads(seen.workloads());
        }
        boolean path = handover == Handover.OUTAGE || pathIsReady(seen, plan);
        if (apiServer && others && labelled && path) {
            return state.moveTo(handover == Handover.FRONT ? Phase.SWITCHING : Phase.TEARING_DOWN, now);
        }
        return retreat.whenHopeless(seen, state, now, plan);
    }

    private static boolean othersAreReady(PivotObservation seen) {
        return seen.workloads().is(all -> all.stream().allMatch(w -> w.isReady() || w.isApiServer()));
    }

    /** @param alone whether the others have to wait until the API server is ready, or has taken over */
    private static void applyWorkloads(PivotObservation seen, boolean alone, PivotPlan plan) {
        if (!alone) {
            plan.add(new PivotAction.ApplyWorkloads(), PivotReason.NODE_CAN_TAKE_PODS);
        } else if (!seen.workloadsApplied().is(applied -> applied.done() > 0)) {
            plan.add(new PivotAction.ApplyApiServer(), PivotReason.MACHINE_IS_SLOW);
        }
    }

    /**
     * Nobody else replaces the pod: its DaemonSet has the update strategy OnDelete, and the keeper proves no change while {@code start} is
     * at work. A pod is useless only if the kubelet calls it unready as well, or if it cannot read Secrets: one failed probe may be etcd's
     * fault, and the other server's probe a moment older. On the same port as the temporary server even a good pod keeps ending until
     * that server goes: there, only a pod that never began is useless, such as one without its image.
     */
    private void replaceOutdatedApiServer(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        boolean waitedFor = Duration.between(state.since(), now).compareTo(STARTING) > 0;
        boolean outdated = anyApiServer(seen, SelfHostedWorkload::outdated);
        boolean useless = switch (handover) {
            case OUTAGE -> anyApiServer(seen, server -> !server.hasBegun());
            case FRONT ->
                readsSecrets(seen).is(reads -> !reads)
                        || (Health.isDown(seen.principal()) && anyApiServer(seen, server -> !server.isReady()));
        };
        if (waitedFor && outdated && useless && Health.isReady(seen.understudy())) {
            plan.add(new PivotAction.DeleteOutdatedApiServer(), PivotReason.ANOTHER_TEMPLATE_IS_ASKED_FOR);
        }
    }

    private static boolean anyApiServer(PivotObservation seen, Predicate<SelfHostedWorkload> condition) {
        return seen.workloads()
                .is(all -> all.stream().filter(SelfHostedWorkload::isApiServer).anyMatch(condition));
    }

    /** Beside the temporary server it must be ready; on the same port it cannot be, so its containers need only have run once. */
    private boolean apiServerCanTakeOver(PivotObservation seen, Instant now, PivotPlan plan) {
        boolean settled = seen.principal()
                .is(health -> health instanceof Ready(Instant since) && !now.isBefore(since.plus(settings.settle())));
        boolean begun = handover == Handover.OUTAGE
                && seen.workloads()
                        .is(all -> all.stream()
                                .filter(SelfHostedWorkload::isApiServer)
                                .allMatch(SelfHostedWorkload::hasBegun));
        if (!settled && !begun) {
            plan.waitFor("self-hosted kube-apiserver: "
                    + (handover == Handover.FRONT ? Health.describe(seen.principal()) : "has not begun yet"));
        }
        boolean reads = handover == Handover.OUTAGE || readsSecrets(seen).orElse(false);
        if (settled && !reads) {
            plan.waitFor("self-hosted kube-apiserver to read the Secrets that the temporary one reads, which needs its"
                    + " encryption keys and its etcd");
        }
        return begun || (settled && reads);
    }

    /**
     * {@code /readyz} does not detect a wrong encryption key. If the temporary API server cannot read Secrets either, that says nothing
     * of the self-hosted one.
     */
    private static Evidence<Boolean> readsSecrets(PivotObservation seen) {
        return seen.readers()
                .map(readers -> readers.contains(Server.PRINCIPAL) || !readers.contains(Server.UNDERSTUDY));
    }

    private static boolean pathIsReady(PivotObservation seen, PivotPlan plan) {
        boolean serviceLeadsHere = seen.serviceEndpoints().is(Boolean::booleanValue);
        if (!serviceLeadsHere) {
            plan.waitFor("the kubernetes Service to lead to this node");
        }
        boolean frontProven = seen.frontProof().is(List::isEmpty);
        if (!frontProven) {
            plan.waitFor("proof that clients reach both API servers through the front");
        }
        return serviceLeadsHere && frontProven;
    }

    private PivotState switchOver(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        boolean led = seen.front().is(front -> front == Front.PRINCIPAL);
        boolean blind = !led && readsSecrets(seen).is(reads -> !reads);
        if (Health.isDown(seen.principal()) || blind) {
            upkeep.keepTemporaryControlPlane(seen, plan, PivotReason.PRINCIPAL_WENT_AWAY);
            return state.moveTo(Phase.SELF_HOSTING, now);
        }
        if (!led) {
            plan.add(new PivotAction.PointFrontToPrincipal(), PivotReason.SELF_HOSTED_IS_READY);
            plan.waitFor("the front to lead to the self-hosted API server");
            return state;
        }
        // Only an answer that began after the switch proves the new path.
        boolean reachesPrincipal = seen.endpointServer().is(server -> server == Server.PRINCIPAL);
        if (reachesPrincipal && Health.isReady(seen.endpoint()) && Health.isReady(seen.principal())) {
            return state.moveTo(state.isSlow() ? Phase.COMPLETING : Phase.TEARING_DOWN, now);
        }
        plan.waitFor("the final endpoint: " + Health.describe(seen.endpoint()));
        return state;
    }

    /**
     * Where an API server takes minutes to begin, two of them beside everything else keep each other, and the controllers that renew
     * their Leases there, from being answered in time. So the temporary one ends first; the temporary controllers make the other pods.
     * It comes back where the port of the self-hosted one is closed, as after a power cut: nobody else begins that one yet. That is done once: then all begin beside it, as on other machines.
     */
    private PivotState complete(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        boolean closed = seen.principal().is(health -> health instanceof Health.NotListening);
        if (closed || (Health.isDown(seen.principal()) && understudyIsKept(seen))) {
            upkeep.keepTemporaryControlPlane(seen, plan, PivotReason.PRINCIPAL_WENT_AWAY);
            return closed ? state.backBesideTheTemporary(now) : state.moveTo(Phase.SELF_HOSTING, now);
        }
        if (!Upkeep.removeTemporaryApiServer(seen, plan)) {
            return retreat.whenHopeless(seen, state, now, plan);
        }
        Upkeep.keepTemporaryControllers(seen, plan);
        boolean applied = seen.workloadsApplied().is(PivotObservation.Applied::isComplete);
        boolean serves = Health.isReady(seen.principal());
        if (serves && !applied) {
            plan.add(new PivotAction.ApplyWorkloads(), PivotReason.TRAFFIC_HAS_MOVED);
        }
        if (serves && applied && othersAreReady(seen)) {
            return state.moveTo(Phase.TEARING_DOWN, now);
        }
        plan.waitForWorkloads(seen.workloads());
        return retreat.whenHopeless(seen, state, now, plan);
    }

    private boolean understudyIsKept(PivotObservation seen) {
        return handover == Handover.FRONT
                && seen.manifests().get(API_SERVER) instanceof Known(Manifest manifest)
                && manifest == Manifest.OURS
                && Health.isReady(seen.understudy());
    }

    private PivotState tearDown(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        if (Health.isDown(seen.principal()) && understudyIsKept(seen)) {
            upkeep.keepTemporaryControlPlane(seen, plan, PivotReason.PRINCIPAL_WENT_AWAY);
            return state.moveTo(Phase.SELF_HOSTING, now);
        }
        PivotReason reason = handover == Handover.FRONT ? PivotReason.TRAFFIC_HAS_MOVED : PivotReason.PORT_IS_NEEDED;
        if (!Upkeep.removeTemporary(seen, plan, reason)) {
            return state;
        }
        boolean serves = Health.isReady(seen.principal());
        boolean secretsGone = seen.secrets().is(kept -> !kept);
        if (serves && secretsGone && seen.stale().is(List::isEmpty)) {
            return state.moveTo(Phase.ACCEPTING, now);
        }
        if (serves) {
            Upkeep.releaseLeases(seen, plan);
        } else {
            plan.waitFor("self-hosted kube-apiserver: " + Health.describe(seen.principal()));
        }
        if (!secretsGone) {
            plan.add(new PivotAction.RemoveSecrets(), PivotReason.TEMPORARY_IS_GONE);
        }
        plan.waitFor("leases and files of the temporary control plane");
        return state;
    }

    private PivotState accept(PivotObservation seen, PivotState state, Instant now, PivotPlan plan) {
        return switch (seen.acceptance()) {
            case Known<Acceptance>(Acceptance.Passed ignored)
            when seen.workloads().is(all -> all.stream().allMatch(SelfHostedWorkload::isReady)) ->
                state.moveTo(Phase.DONE, now);
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
                plan.add(new PivotAction.RunAcceptance(), PivotReason.TEMPORARY_IS_GONE);
                plan.waitFor("read, write, watch, a scheduled pod and its logs");
                yield state;
            }
        };
    }

    private static List<Problem> foreignManifests(PivotObservation seen) {
        return seen.manifests().entrySet().stream()
                .filter(entry -> entry.getValue().is(manifest -> manifest == Manifest.FOREIGN))
                .map(Map.Entry::getKey)
                .sorted()
                .map(component -> new Problem(
                        ErrorCode.FOREIGN_FILE,
                        "static manifest " + component.temporaryPod(),
                        "the kubelet's manifest directory already has one that ouro did not write",
                        "no file there, or ours",
                        "move it away if it is not needed and run the same command again"))
                .toList();
    }

    private static boolean nothingTemporary(PivotObservation seen) {
        return seen.manifests().values().stream().allMatch(e -> e.is(manifest -> manifest == Manifest.ABSENT));
    }
}
