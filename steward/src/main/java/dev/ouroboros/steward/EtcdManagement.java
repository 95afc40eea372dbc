package dev.ouroboros.steward;

import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Scaling;
import dev.ouroboros.steward.decide.MemberManifest;
import dev.ouroboros.steward.decide.NodeJob;
import java.util.Optional;

/** Whose business the members of etcd are, and what is done about them. */
interface EtcdManagement {
    /**
     * What is told of it.
     *
     * @param scaling empty unless this node leads
     * @param job empty while this node has no part in it
     * @param manifest empty while this node has no member, or nothing is wished of its manifest
     */
    record Told(Optional<Scaling> scaling, Optional<NodeJob> job, Optional<MemberManifest> manifest) {}

    /** Does what is to be done here, and sees to it that one of all stewards leads. */
    Told turn(ControlPlaneObject object, WishSource.Seen now);
}
