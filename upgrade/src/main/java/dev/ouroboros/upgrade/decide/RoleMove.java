package dev.ouroboros.upgrade.decide;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A workload whose pods find their nodes by another role from now on, as between 1.23 and 1.24: the DaemonSet controller deletes every pod
 * at once whose node is not selected any more. So the nodes have the new role before the workload asks for it.
 *
 * @param from labels of the roles by which its nodes were found
 * @param to labels of the roles that they need besides
 */
public record RoleMove(Set<String> from, Set<String> to) {
    public RoleMove {
        from = Set.copyOf(from);
        to = Set.copyOf(to);
    }

    /** Between two templates; empty where the nodes that the first finds have what the second asks for. */
    public static Optional<RoleMove> between(Json live, Json wanted) {
        Set<String> from = roles(live);
        Set<String> to = new TreeSet<>(roles(wanted));
        to.removeAll(from);
        return from.isEmpty() || to.isEmpty() ? Optional.empty() : Optional.of(new RoleMove(from, to));
    }

    /** All other labels are people's own, other roles too: what they mean of a node, only people know. */
    private static Set<String> roles(Json workload) {
        return workload.at("spec", "template", "spec", "nodeSelector").fields().keySet().stream()
                .filter(VersionFacts.nodeRoles()::contains)
                .collect(Collectors.toUnmodifiableSet());
    }
}
