package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Action.AdmitSuccessor;
import dev.ouroboros.keeper.decide.Action.GiveWay;
import dev.ouroboros.keeper.decide.Action.StartUnderstudy;
import dev.ouroboros.keeper.decide.StaticManifest.Absent;
import dev.ouroboros.keeper.decide.StaticManifest.Foreign;
import dev.ouroboros.keeper.decide.StaticManifest.OfStart;
import dev.ouroboros.keeper.decide.StaticManifest.Ours;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.FrontState.ToUnderstudy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the keeper itself running: its static copy is always there, made from the keeper's best checkpoint, and waits for a lock. A
 * static copy that is at work lets the API-managed pod, which waits for the same lock, start, and ends once that pod decides.
 *
 * <p>The static copy does not replace its own manifest: that would end it when perhaps no other keeper runs. It gives way first.
 */
final class SelfKeeping {
    /**
     * A pod that ended n times must run 2^n times as long before the static copy lets it take over, up to this n: a pod that crashes as
     * soon as it works then does so rarely.
     */
    private static final int MOST_DOUBLINGS = 6;

    private final Moment moment;
    private final Plan plan;
    private final boolean staticCopy;

    SelfKeeping(Moment moment, Plan plan, boolean staticCopy) {
        this.moment = moment;
        this.plan = plan;
        this.staticCopy = staticCopy;
    }

    /** Writes the static copy's manifest. */
    void keepStaticCopy(Judged keeper, Evidence<Boolean> wanted) {
        Optional<Revision> best = keeper.best();
        if (best.isEmpty()
                || wanted.is(known -> !known)
                || !(keeper.seen().manifest() instanceof Known<StaticManifest>(StaticManifest manifest))) {
            return;
        }
        boolean write = switch (manifest) {
            case Absent _ -> true;
            case Ours(Revision revision) -> !revision.equals(best.get()) && !staticCopy;
            case OfStart _, Foreign _ -> false;
        };
        if (write) {
            plan.add(
                    new StartUnderstudy(keeper.name(), best.get()),
                    Reason.STATIC_COPY_IS_NEEDED,
                    "revision " + best.get() + " is the best there is");
        }
    }

    /**
     * Ends the static copy once its successor itself says that it decides. Until then the successor is only admitted (allowed to start),
     * which costs a JVM. Neither happens while the front leads to an understudy: its clients depend on the keeper that renews the lease.
     */
    void giveWay(Judged keeper, Evidence<FrontState> front, Evidence<Successor> successor) {
        boolean clientsNeedIt = front.is(state -> state instanceof ToUnderstudy) || front instanceof Unknown;
        if (!staticCopy
                || clientsNeedIt
                || !(successor instanceof Known<Successor>(Successor known))
                || !moment.lasted(keeper.memory().servingSince(), patienceWith(keeper))) {
            return;
        }
        switch (known) {
            case WAITS -> plan.add(new AdmitSuccessor(), Reason.KEEPER_POD_WAITS, Explain.pods(keeper.seen()));
            case ADMITTED -> {}
            case DECIDES -> plan.add(new GiveWay(), Reason.SUCCESSOR_DECIDES, Explain.pods(keeper.seen()));
        }
    }

    private Duration patienceWith(Judged keeper) {
        int restarts = keeper.seen().pods().orElse(List.of()).stream()
                .filter(PrincipalPod::isAlive)
                .mapToInt(PrincipalPod::restarts)
                .max()
                .orElse(0);
        return moment.settings().steady().multipliedBy(1L << Math.min(restarts, MOST_DOUBLINGS));
    }
}
