package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.evidence.Evidence;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The API servers of other nodes, as this node's balancer finds them.
 *
 * @param ready how many of them are; given what the API counts, which is as old as the last controller manager that ran
 * @param unready the addresses of those that are not, while this node's own server is: nobody changes a server meanwhile
 * @param away the addresses at which nobody has answered for so long that their nodes are off, or cannot be reached
 */
public record OtherServers(
        UnaryOperator<Evidence<Integer>> ready, Supplier<Set<String>> unready, Supplier<Set<String>> away) {
    /** Where nobody asks them. */
    public static final OtherServers AS_COUNTED = new OtherServers(UnaryOperator.identity(), Set::of, Set::of);
}
