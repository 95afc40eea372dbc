package dev.ouroboros.steward;

import dev.ouroboros.steward.decide.ControlPlaneObject;
import dev.ouroboros.steward.decide.ControlPlaneStatus.Scaling;
import dev.ouroboros.steward.decide.MemberManifest;
import dev.ouroboros.steward.decide.NodeJob;
import java.util.Optional;

/** Who manages the members of etcd, and what is done about them. */
interface EtcdManagement {
    /**
     * What to report.
     *
     * @param scaling empty unless this node leads
     * @param job empty while this node has no part in a change of members
     * @param manifest empty while this node has no member, or nothing is wished of its manifest
     */
    record Told(Optional<Scaling> scaling, Optional<NodeJob> job, Optional<MemberManifest> manifest) {}

    /** Does this node's part, and takes part in the election of the leading steward. */
    Told turn(ControlPlaneObject object, WishSource.Seen now);
}
