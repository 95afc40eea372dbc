package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.evidence.Evidence;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The API servers of other nodes, as this node's balancer finds them.
 *
 * @param ready how many of them are; what the API counts is as old as the last controller manager that ran
 * @param unready the addresses of those that are not, while this node's own server is: nobody changes a server meanwhile
 * @param away the addresses at which nobody has answered for so long that their nodes are off, or cannot be reached
 */
public record OtherServers(
        Supplier<Evidence<Integer>> ready, Supplier<Set<String>> unready, Supplier<Set<String>> away) {}
