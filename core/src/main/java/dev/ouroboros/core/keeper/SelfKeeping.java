package dev.ouroboros.core.keeper;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Evidence.Known;
import dev.ouroboros.core.evidence.Evidence.Unknown;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.front.FrontState.ToUnderstudy;
import dev.ouroboros.core.keeper.Action.AdmitSuccessor;
import dev.ouroboros.core.keeper.Action.GiveWay;
import dev.ouroboros.core.keeper.Action.StartUnderstudy;
import dev.ouroboros.core.keeper.StaticManifest.Absent;
import dev.ouroboros.core.keeper.StaticManifest.Foreign;
import dev.ouroboros.core.keeper.StaticManifest.OfStart;
import dev.ouroboros.core.keeper.StaticManifest.Ours;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the keeper: its static copy is always there, made from its best checkpoint, and waits for a lock; and a working static copy
 * lets the API-managed pod that waits for that lock start, and ends when that one decides.
 *
 * <p>The static copy does not replace its own manifest: that would end it while nobody else may be there. It gives way first.
 */
final class SelfKeeping {
    /** A pod that ended n times is waited for 2^n times as long, up to this n: one that ends as soon as it works gets its chances rarely. */
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
     * Ends the static copy when it is not needed: when its successor itself says that it decides. Until then the successor is admitted only,
     * which costs a JVM. Not while the front leads to an understudy, whose clients depend on who renews its lease.
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
