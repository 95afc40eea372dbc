package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.sandbox.NodeRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Nodes of a sandbox that do not hear each other: a node of one group no node of another. Nodes in no group, and the host, are heard by all. The
 * sandbox's switch drops the frames, so that no node can see or undo it.
 *
 * @param groups two at least, of a node each at least
 */
public record NetworkSplit(List<List<NodeRecord>> groups) {
    private static final String TABLE = "table bridge ouroboros-split";

    /** For {@code nft -f}: takes a split away, if there is one. */
    static final String HEAL = TABLE + "\ndelete " + TABLE + "\n";

    /** @throws ProblemException BAD_USAGE when there is one group only, an empty one, or a node twice */
    public NetworkSplit {
        groups = groups.stream().map(List::copyOf).toList();
        if (groups.size() < 2 || groups.stream().anyMatch(List::isEmpty)) {
            throw refused(groups.size() < 2 ? "is one group only" : "has an empty group");
        }
        Set<String> seen = new HashSet<>();
        groups.stream().flatMap(List::stream).map(NodeRecord::name).forEach(name -> {
            if (!seen.add(name)) {
                throw refused("has node " + name + " twice");
            }
        });
    }

    private static ProblemException refused(String what) {
        return ProblemException.of(
                ErrorCode.BAD_USAGE,
                "GROUP",
                what,
                "two groups or more of different nodes",
                "as in: ouro net split ouroboros,ouroboros-2 ouroboros-3");
    }

    /** For {@code nft -f}: this split in place of another one. */
    String rules() {
        List<String> drops = new ArrayList<>();
        for (List<NodeRecord> group : groups) {
            List<NodeRecord> others = groups.stream()
                    .filter(other -> !other.equals(group))
                    .flatMap(List::stream)
                    .toList();
            drops.add("iifname %s oifname %s drop".formatted(ports(group), ports(others)));
        }
        return HEAL + """
                %s {
                  chain forward {
                    type filter hook forward priority 0; policy accept;
                    %s
                  }
                }
                """.formatted(TABLE, String.join("\n    ", drops));
    }

    private static String ports(List<NodeRecord> nodes) {
        return nodes.stream().map(node -> "\"" + node.port() + "\"").collect(Collectors.joining(", ", "{ ", " }"));
    }
}
