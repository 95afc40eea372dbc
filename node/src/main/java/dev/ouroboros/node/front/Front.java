package dev.ouroboros.node.front;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;

/**
 * The front of one node: says which of its two API servers gets new connections. Established ones stay where they are, unless
 * their server is cut off. Every
 * method can be called again at any time, in any state of ours, with the same effect.
 *
 * <p>Methods that change something throw {@link ProblemException}: FOREIGN_TABLE when a table of our name is not ours,
 * PROCESS_FAILED, MISSING_TOOL or TIMEOUT when the kernel could not be told.
 */
public interface Front {
    FrontSpec spec();

    /** Makes the table or makes it right; leases go on. */
    void install();

    /**
     * Gives new connections to the understudy until the lease ends; called again, renews the lease. Installs first when
     * the table is missing or damaged.
     *
     * @param lease a second at least
     */
    void pointToUnderstudy(Duration lease);

    /** Gives new connections to the principal. Installs first when the table is missing or damaged. */
    void pointToPrincipal();

    /** What the kernel holds; never throws for a kernel that does not answer: that is {@link FrontState.Unknown}. */
    FrontState read();

    /**
     * Answers every packet for the principal, of an old connection or a new one, with a reset until the lease ends; called again,
     * renews the lease. For a principal that hangs: its clients would wait for it. Loopback is left alone. Installs first when the
     * table is missing or damaged.
     *
     * @param lease a second at least
     */
    void cutOffPrincipal(Duration lease);

    /** Lets packets through to the principal again. Installs first when the table is missing or damaged. */
    void letThrough();

    /** Removes the table; new connections go to the principal. */
    void remove();
}
