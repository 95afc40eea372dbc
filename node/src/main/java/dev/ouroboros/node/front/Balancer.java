package dev.ouroboros.node.front;

import dev.ouroboros.model.front.BalancerState;
import dev.ouroboros.model.front.Deal;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;

/**
 * Leads the connections of a node's own clients to API servers of any node. Every method can be called again at any time, in any state of
 * ours, with the same effect.
 *
 * <p>Methods that change something throw {@link ProblemException}: FOREIGN_TABLE when a table of our name is not ours, PROCESS_FAILED,
 * MISSING_TOOL or TIMEOUT when the kernel could not be told.
 */
public interface Balancer {
    /**
     * Deals new connections for the time of a lease; called again, renews it. Makes the table where it is missing.
     *
     * @param lease a second at least
     */
    void deal(Deal deal, Duration lease);

    /**
     * Ends every connection of this node's own processes to an API server's address. The address is no door: only connection tracking knows where a
     * connection through a door leads.
     */
    void endConnections(ServerAddress address);

    /** What the kernel holds; never throws for a kernel that does not answer: that is {@link BalancerState.Unknown}. */
    BalancerState read();

    /** Makes the table right; what is dealt goes on. */
    void install();

    /** Removes the table: connections go where their clients address them. */
    void remove();
}
