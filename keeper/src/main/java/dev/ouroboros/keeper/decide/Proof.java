package dev.ouroboros.keeper.decide;

import java.time.Instant;

/**
 * What came of asking one API server of this node for more than {@code /readyz}: that it is of this cluster, knows our client
 * certificate, shows a certificate that is good for the Service's address and for the node's own if the principal's was, lists Secrets, admits a
 * write that is not carried out, and sends a watch its first event.
 */
public sealed interface Proof {
    /** Every question has been answered well without interruption since then. */
    record Passed(Instant since) implements Proof {}

    /**
     * @param question that was not answered well
     * @param detail what came instead
     */
    record Failed(String question, String detail) implements Proof {}
}
