package dev.ouroboros.model.front;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.front.BalancerRules.Family;
import dev.ouroboros.model.front.FrontRules.Rule;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The balancer's nftables table as scripts for {@code nft -f}. Each script is one transaction: the kernel takes all of it or nothing, and
 * no packet meets a half-made table. Without a renewal all of a deal runs out, and every connection goes where it wants again.
 */
public final class BalancerTable {
    public static final String FAMILY = FrontTable.FAMILY;
    public static final String NAME = "ouroboros-balancer";
    /** Connections that leave from these ports are never led elsewhere nor ended. No system deals them out by itself. */
    public static final int FIRST_PROBE_PORT = 26_500;

    public static final int LAST_PROBE_PORT = 26_563;

    private static final String TABLE = FAMILY + " " + NAME;
    private static final List<Rule> RULES = BalancerRules.all();
    private static final String FINGERPRINT = Sha256.hex(RULES.toString()).substring(0, 8);

    private final int rotation;

    /** @param node its name: each node begins at another server, so that the first does not get most */
    public BalancerTable(String node) {
        this.rotation = Math.floorMod(node.hashCode(), BalancerRules.SLOTS);
    }

    /** Makes the table, or repairs an existing one; what was dealt stays. The caller has made sure that a table of this name is ours. */
    public static String install() {
        String sets = Stream.of(Family.values())
                .flatMap(family -> Stream.of(
                        set(family.doors(), family),
                        set(family.dead(), family),
                        "add map %s %s { typeof numgen random mod %d : %s daddr . tcp dport ; flags timeout ; }"
                                .formatted(TABLE, family.slots(), BalancerRules.SLOTS, family.keyword)))
                .collect(Collectors.joining("\n"));
        String chains = Stream.of(
                        BalancerRules.MARKER_CHAIN,
                        BalancerRules.SERVERS,
                        hook(BalancerRules.PREROUTING, "nat", "prerouting", -111),
                        hook(BalancerRules.OUTPUT, "nat", "output", -111),
                        hook(BalancerRules.SENT, "filter", "output", 0),
                        hook(BalancerRules.FORWARDED, "filter", "forward", 0))
                .map(chain -> "add chain " + TABLE + " " + chain)
                .collect(Collectors.joining("\n"));
        String flushes = chains().stream()
                .map(chain -> "flush chain " + TABLE + " " + chain)
                .collect(Collectors.joining("\n"));
        String rules = RULES.stream()
                .map(rule ->
                        "add rule %s %s %s comment \"%s\"".formatted(TABLE, rule.chain(), rule.text(), comment(rule)))
                .collect(Collectors.joining("\n"));
        return """
                # Ouroboros: which control-plane node gets new connections of this node's clients. Made and owned by 'ouro'; edits are undone.
                add table %s
                %s
                add ct timeout %s %s { protocol tcp ; policy = { syn_sent : 1, close : 1 }
                }
                %s
                %s
                %s
                """.formatted(TABLE, sets, TABLE, BalancerRules.TIMEOUT, chains, flushes, rules);
    }

    /** Deals for the time of a lease; also renews one. Flush and add, because an element cannot be renewed in its place. */
    public String deal(Deal deal, Duration lease) {
        if (lease.compareTo(FrontTable.SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("a lease must last a second at least, not " + lease);
        }
        String timeout = " timeout " + lease.toMillis() + "ms";
        StringBuilder script = new StringBuilder();
        for (Family family : Family.values()) {
            script.append("flush set %1$s %2$s\nflush set %1$s %3$s\nflush map %1$s %4$s\n"
                    .formatted(TABLE, family.doors(), family.dead(), family.slots()));
            append(script, family.doors(), members(deal.doors(), family).map(door -> door.concatenated() + timeout));
            append(script, family.dead(), members(deal.dead(), family).map(dead -> dead.concatenated() + timeout));
            append(script, family.slots(), slots(members(deal.servers(), family).toList(), timeout));
        }
        return script.toString();
    }

    private Stream<String> slots(List<ServerAddress> servers, String timeout) {
        return servers.isEmpty()
                ? Stream.of()
                : IntStream.range(0, BalancerRules.SLOTS)
                        .boxed()
                        .flatMap(slot -> inEachByteOrder(slot)
                                .map(key -> key + timeout + " : "
                                        + servers.get((slot + rotation) % servers.size())
                                                .concatenated()));
    }

    /**
     * The kernel looks for a number in the machine's byte order, as {@code numgen} gives it. nft writes the numbers of elements so until 1.1.3, and with the
     * other end first in 1.1.7: with both, either finds its slot.
     */
    private static Stream<String> inEachByteOrder(int slot) {
        return IntStream.of(slot, Integer.reverseBytes(slot)).distinct().mapToObj(Integer::toUnsignedString);
    }

    private static Stream<ServerAddress> members(Collection<ServerAddress> all, Family family) {
        return all.stream().filter(family::has);
    }

    private static void append(StringBuilder script, String set, Stream<String> elements) {
        String all = elements.collect(Collectors.joining(", "));
        if (!all.isEmpty()) {
            script.append("add element ")
                    .append(TABLE)
                    .append(' ')
                    .append(set)
                    .append(" { ")
                    .append(all)
                    .append(" }\n");
        }
    }

    /** Removes the table, whether it is there or not. The caller has made sure that it is ours. */
    public static String remove() {
        return "add table %1$s\ndelete table %1$s\n".formatted(TABLE);
    }

    /** The comments that {@link #install} gives the rules of a chain, in order. */
    static List<String> comments(String chain) {
        return RULES.stream()
                .filter(rule -> rule.chain().equals(chain))
                .map(BalancerTable::comment)
                .toList();
    }

    static List<String> chains() {
        return List.of(
                BalancerRules.MARKER_CHAIN,
                BalancerRules.PREROUTING,
                BalancerRules.OUTPUT,
                BalancerRules.SENT,
                BalancerRules.FORWARDED,
                BalancerRules.SERVERS);
    }

    private static String comment(Rule rule) {
        return "ouroboros " + FINGERPRINT + ": " + rule.reason();
    }

    private static String set(String name, Family family) {
        return "add set %s %s { type %s . inet_service ; flags timeout ; }".formatted(TABLE, name, family.type);
    }

    private static String hook(String chain, String type, String hook, int priority) {
        return "%s { type %s hook %s priority %d ; policy accept ; }".formatted(chain, type, hook, priority);
    }
}
