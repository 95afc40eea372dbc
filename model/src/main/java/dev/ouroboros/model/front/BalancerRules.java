package dev.ouroboros.model.front;

import dev.ouroboros.model.front.FrontRules.Rule;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rules of the balancer's table: how a node's own clients get to the API servers of other nodes.
 *
 * <ol>
 *   <li>A client dials a <em>door</em>: the address of the {@code kubernetes} Service, or any control-plane node's. Its connection is dealt to
 *       a slot, at random; slots are leases. Before the front (priority -110) and kube-proxy (-100), as a connection is translated once.
 *   <li>Only the node's own clients: its processes, and its pods, whose packets it forwards. Who comes from another node chose this one, and
 *       forwarded on, the answer would not find its way.
 *   <li>A SYN that is not answered is forgotten by connection tracking within a second, so the client's next one is dealt anew.
 *   <li>Connections to a server that is dead are reset when they next send; else they would wait for it, kubelets for 45 s (kubernetes#65966).
 *   <li>Probes leave from ports of their own, which no rule touches: they see each server, the dead ones too.
 * </ol>
 *
 * <p>The translating rule stands twice: before Linux 6.17 a look-up may find nothing while a transaction that flushes and fills the map is
 * committed (b2f742c846ca).
 */
public final class BalancerRules {
    /** The chain whose name says that the table is ours. */
    public static final String MARKER_CHAIN = "ouroboros.dev/balancer";

    static final String PREROUTING = "prerouting";
    static final String OUTPUT = "output";
    static final String SENT = "sent";
    static final String FORWARDED = "forwarded";
    static final String SERVERS = "servers";

    static final String TIMEOUT = "second";
    /** How many slots connections are dealt to, at random. */
    static final int SLOTS = 16;

    private static final String NEW_CONNECTION = "tcp flags & (fin|syn|rst|ack) == syn";
    private static final String OF_A_PROBE =
            "tcp sport " + BalancerTable.FIRST_PROBE_PORT + "-" + BalancerTable.LAST_PROBE_PORT;

    /** A family of addresses: how nft calls it, and what the names of its sets end with. */
    enum Family {
        IPV4("ip", "ipv4_addr", "4"),
        IPV6("ip6", "ipv6_addr", "6");

        final String keyword;
        final String type;
        private final String suffix;

        Family(String keyword, String type, String suffix) {
            this.keyword = keyword;
            this.type = type;
            this.suffix = suffix;
        }

        boolean has(ServerAddress server) {
            return server.isIpv6() == (this == IPV6);
        }

        String doors() {
            return "doors" + suffix;
        }

        String dead() {
            return "dead" + suffix;
        }

        String slots() {
            return "slots" + suffix;
        }
    }

    private BalancerRules() {}

    static List<Rule> all() {
        return Stream.of(dealing(), hooks(), servers()).flatMap(List::stream).toList();
    }

    private static List<Rule> dealing() {
        Stream<Rule> loopback = Stream.of(
                new Rule(MARKER_CHAIN, "ip daddr 127.0.0.0/8 accept", "an API server dials itself on loopback"),
                new Rule(MARKER_CHAIN, "ip6 daddr ::1 accept", "an API server dials itself on loopback"),
                new Rule(MARKER_CHAIN, OF_A_PROBE + " accept", "probes see each server"));
        Stream<Rule> deals = Stream.of(Family.values())
                .flatMap(family -> Stream.of(
                        new Rule(MARKER_CHAIN, deal(family), "slots are leases"),
                        new Rule(MARKER_CHAIN, deal(family), "a slot was not found while they were exchanged")));
        return Stream.concat(loopback, deals).toList();
    }

    private static String deal(Family family) {
        return "%1$s daddr . tcp dport @%2$s dnat %1$s to numgen random mod %3$d map @%4$s"
                .formatted(family.keyword, family.doors(), SLOTS, family.slots());
    }

    private static List<Rule> hooks() {
        return List.of(
                new Rule(
                        PREROUTING,
                        NEW_CONNECTION + " fib daddr type != local jump " + MARKER_CHAIN,
                        "pods; who comes from elsewhere chose this node"),
                new Rule(OUTPUT, NEW_CONNECTION + " jump " + MARKER_CHAIN, "the node's own processes"),
                new Rule(SENT, "meta l4proto tcp jump " + SERVERS, "the node's own processes"),
                new Rule(FORWARDED, "meta l4proto tcp jump " + SERVERS, "pods"));
    }

    private static List<Rule> servers() {
        Stream<Rule> probes = Stream.of(new Rule(SERVERS, OF_A_PROBE + " accept", "probes see each server"));
        Stream<Rule> families = Stream.of(Family.values())
                .flatMap(family -> Stream.of(
                        new Rule(SERVERS, forgetting(family), "what is not answered is dealt anew after a second"),
                        new Rule(
                                SERVERS,
                                family.keyword + " daddr . tcp dport @" + family.dead() + " reject with tcp reset",
                                "its server is dead")));
        return Stream.concat(probes, families).toList();
    }

    private static String forgetting(Family family) {
        return "%s ct original %s daddr . ct original proto-dst @%s ct status & confirmed == 0 ct timeout set \"%s\""
                .formatted(NEW_CONNECTION, family.keyword, family.doors(), TIMEOUT);
    }
}
