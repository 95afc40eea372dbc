package dev.ouroboros.keeper.api;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.api.NodeLease;
import dev.ouroboros.keeper.decide.ChangeSeen.LeaseSeen;
import dev.ouroboros.model.component.KeeperObjects;
import java.time.InstantSource;

/** The Lease under which one node at a time changes its API server. */
public final class ChangeLease {
    public static final String NAME = KeeperObjects.CHANGE_LEASE;

    private final NodeLease lease;

    /**
     * Nothing is asked yet.
     *
     * @param clock never jumps
     * @param wallClock for the times that others read
     */
    public ChangeLease(Api client, ClusterGuard guard, String nodeName, InstantSource clock, InstantSource wallClock) {
        this.lease = new NodeLease(client, guard, NAME, nodeName, clock, wallClock);
    }

    /** Who holds it. */
    public LeaseSeen look() throws ApiException {
        return switch (lease.look()) {
            case NodeLease.Seen.Free() -> new LeaseSeen.Free();
            case NodeLease.Seen.Mine(boolean renewalDue) -> new LeaseSeen.Mine(renewalDue);
            case NodeLease.Seen.OfAnother(String holder) -> new LeaseSeen.OfAnother(holder);
        };
    }

    /**
     * Takes or renews it.
     *
     * @throws ApiException CONFLICT when another was faster
     */
    public void hold() throws ApiException {
        lease.hold();
    }

    /** Gives it up, if it is ours. */
    public void release() throws ApiException {
        lease.release();
    }
}
