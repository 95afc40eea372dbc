package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.CutOff;
import dev.ouroboros.keeper.decide.Action.LetThrough;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontLease;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontState.ToPrincipal;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides when an API server that hangs is cut off from its clients. The kernel holds its connections open, so the clients wait:
 * the kubelet for 30 to 45 s, to create the understudy's mirror pod before it starts the understudy. A TCP reset ends that at once.
 *
 * <pre>
 * principal                                    cut off    move
 * silent for the failover time, and its        no         cut off
 * understudy is there or is started now        yes        renew the lease, when little is left
 * known, and not silent                        yes        let through, at once
 * else                                         -          nothing: the lease runs out
 * </pre>
 *
 * <p>Not every server that is not ready is silent: one that refuses, or answers any request at all, is slow or ill, and is never cut off.
 */
final class HungPrincipal {
    private final Moment moment;
    private final Plan plan;
    private final Evidence<FrontState> front;

    HungPrincipal(Moment moment, Plan plan, Evidence<FrontState> front) {
        this.moment = moment;
        this.plan = plan;
        this.front = front;
    }

    /** Called when an understudy is needed, and is there or is being started. */
    void cutOff(Judged component) {
        boolean silent =
                moment.lasted(component.silentSince(), moment.settings().failover());
        boolean installed = front.is(state -> state instanceof ToPrincipal || state instanceof ToUnderstudy);
        if (!silent || !installed) {
            return;
        }
        Optional<Duration> lease = remaining();
        if (lease.isEmpty()) {
            plan.add(
                    new CutOff(component.name()),
                    Reason.PRINCIPAL_IS_SILENT,
                    Explain.health(component.seen().principal()));
        } else if (FrontLease.mustRenew(moment.settings().cut(), lease.get())) {
            plan.add(
                    new CutOff(component.name()),
                    Reason.LEASE_RUNS_OUT,
                    lease.get().toSeconds() + " s of the cut are left");
        }
    }

    void letThrough(Judged apiServer) {
        boolean heard = apiServer.seen().principal() instanceof Known<Health>
                && apiServer.silentSince().isEmpty();
        if (heard && remaining().isPresent()) {
            plan.add(
                    new LetThrough(),
                    Reason.PRINCIPAL_IS_HEARD,
                    Explain.health(apiServer.seen().principal()));
        }
    }

    private Optional<Duration> remaining() {
        return front instanceof Known<FrontState>(FrontState state) ? state.cutOff() : Optional.empty();
    }
}
