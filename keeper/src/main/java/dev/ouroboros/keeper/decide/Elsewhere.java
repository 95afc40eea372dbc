package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.component.Role;

/**
 * Whether another node has a component that elects its leader, or one without a role that runs somewhere. Where no other API server is ready, this is the only node of the control plane that
 * works, and nothing is known of others.
 */
enum Elsewhere {
    /** The leader is seen to renew its Lease. */
    LEADS,
    /** The leader is here, and another one is ready by counts that a controller manager keeps. */
    STANDS_BY,
    /** Counts say so that may be as old as the last controller manager. */
    IS_SAID,
    UNKNOWN;

    static Elsewhere of(ComponentSeen seen, Observation all) {
        if (seen.role() == Role.OTHER) {
            // It may be on any node, also where this is the only one of the control plane.
            boolean counted = all.countsAreKept().is(Boolean::booleanValue);
            return counted && seen.elsewhere().is(count -> count > 0) ? IS_SAID : UNKNOWN;
        }
        if (!seen.isLeaderElected() || !all.otherApiServers().is(count -> count > 0)) {
            return UNKNOWN;
        }
        if (seen.leading().is(leading -> leading instanceof Leading.Elsewhere)) {
            return LEADS;
        }
        if (!seen.elsewhere().is(count -> count > 0)) {
            return UNKNOWN;
        }
        boolean leadsHere = seen.leading().is(leading -> leading instanceof Leading.Here);
        return leadsHere && all.countsAreKept().is(Boolean::booleanValue) ? STANDS_BY : IS_SAID;
    }
}
