package dev.ouroboros.keeper.decide;

import java.time.Instant;

/** Who is seen to renew the Lease of a leader. */
public sealed interface Leading {
    /** A holder that was never a container of this node. */
    record Elsewhere() implements Leading {}

    /**
     * A holder that is, or was, a container of this node.
     *
     * @param since when it was first seen to renew
     */
    record Here(Instant since) implements Leading {}

    record Nobody() implements Leading {}
}
