package dev.ouroboros.core.front;

import java.net.Inet6Address;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The front's nftables table as scripts for {@code nft -f}. Each script is one transaction: the kernel takes all of it or
 * nothing, and no packet meets a half-made table.
 *
 * <p>How a packet that opens a connection goes through it:
 *
 * <ol>
 *   <li>Only a bare SYN is looked at. Without that, connection tracking, which the table switches on, takes a packet of an
 *       older connection for the first of a new one, and the connection is reset.
 *   <li>Loopback is never touched: an API server dials itself there and accepts only its own certificate.
 *   <li>{@code dnat}, never {@code redirect}: that rewrites to the first address of the interface, which a pod's veth may
 *       not have, and to 127.0.0.1 on the node itself.
 *   <li>The addresses of Services are translated here, at priority -110, because kube-proxy translates at -100 and a
 *       connection is translated once.
 *   <li>Of the front port only the node's own addresses count: a pod that dials another node is left alone.
 *   <li>Elements of the maps are leases. With none, the principal gets the connection, or the understudy when no socket is
 *       bound to the principal's port. That last rule works in prerouting only: on the way out the packet's socket is the
 *       client's own.
 * </ol>
 *
 * <p>A principal that hangs keeps its connections: the kernel takes what clients send and nobody answers. While its port is in the
 * set {@code cut}, also a lease, each packet that arrives for it, of an old connection or a new one, is answered with a reset; who
 * only listens learns it with its next keep-alive. Not over loopback, where it is asked whether it answers again. (The sockets
 * themselves could be closed at once, but only by kernels with INET_DIAG_DESTROY.)
 *
 * <p>A server that ends resets connections that nobody closed. Connection tracking remembers a reset connection, for ten seconds unless it
 * is told otherwise (nf_conntrack_tcp_timeout_close), and gives a SYN from the same port of the same client where the old connection went,
 * whatever the maps say now: to a server that is gone. Linux chooses its ports anew every ten seconds, and soon comes to one that it has
 * just used. So a connection of ours is remembered for a second, and a SYN in that second that finds no server any more is dropped, not
 * refused: the client's next one, a second later, is led as the maps say. One that finds its server goes through, because a living server
 * resets connections too, about one in a hundred. ({@code ct status assured}: the old one was answered; {@code ct expiration}: and is over.
 * {@code confirmed}: a timeout can be given to a new connection only.)
 *
 * <p>{@code socket transparent le 1} means "there is a socket", whatever it is. {@code socket wildcard} would not do: it
 * does not match a socket in TIME_WAIT, so a client that uses a port again would be sent away from a principal that is up.
 */
public final class FrontTable {
    public static final String FAMILY = "inet";
    public static final String NAME = "ouroboros";

    /** The chain whose name says that the table is ours; a name survives everything short of deleting the table. */
    public static final String MARKER_CHAIN = "ouroboros.dev/front";

    static final String PORT_MAP = "front";
    static final String SERVICE_MAP_IPV4 = "service4";
    static final String SERVICE_MAP_IPV6 = "service6";
    static final String CUT_SET = "cut";
    static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    private static final String PREROUTING = "prerouting";
    private static final String OUTPUT = "output";
    private static final String INPUT = "input";
    private static final String POSTROUTING = "postrouting";
    private static final String REUSED = "reused";
    private static final String TIMEOUT = "brief";
    private static final String TABLE = FAMILY + " " + NAME;
    private static final String NEW_CONNECTION = "tcp flags & (fin|syn|rst|ack) == syn";

    private final FrontSpec spec;
    private final List<Rule> rules;
    private final String fingerprint;

    /** A rule of the table: its chain, its text, and for people its reason. */
    record Rule(String chain, String text, String reason) {}

    public FrontTable(FrontSpec spec) {
        this.spec = spec;
        this.rules = rulesOf(spec);
        this.fingerprint = fingerprintOf(rules);
    }

    public FrontSpec spec() {
        return spec;
    }

    /**
     * Makes the table, or makes it right where it exists. Leases stay as they are, so that it can be run at any time, but nobody is
     * cut off any more. The caller has made sure that a table of this name is ours.
     */
    public String install() {
        String chains = Stream.of(
                        "add chain " + TABLE + " " + MARKER_CHAIN,
                        "add chain " + TABLE + " " + natChain(PREROUTING),
                        "add chain " + TABLE + " " + natChain(OUTPUT),
                        "add chain " + TABLE + " " + filterChain(INPUT, -10),
                        "add chain " + TABLE + " " + filterChain(POSTROUTING, 0),
                        "add chain " + TABLE + " " + REUSED)
                .collect(Collectors.joining("\n"));
        String flushes = chains().stream()
                .map(chain -> "flush chain " + TABLE + " " + chain)
                .collect(Collectors.joining("\n"));
        String ruleLines = rules.stream()
                .map(rule ->
                        "add rule %s %s %s comment \"%s\"".formatted(TABLE, rule.chain(), rule.text(), comment(rule)))
                .collect(Collectors.joining("\n"));
        return """
                # Ouroboros: which API server of this node gets new connections. Made and owned by 'ouro'; edits are undone.
                add table %1$s
                add map %1$s %2$s { type inet_service : inet_service ; flags timeout ; }
                add map %1$s %3$s { type ipv4_addr . inet_service : ipv4_addr . inet_service ; flags timeout ; }
                add map %1$s %4$s { type ipv6_addr . inet_service : ipv6_addr . inet_service ; flags timeout ; }
                add set %1$s %5$s { type inet_service ; flags timeout ; }
                flush set %1$s %5$s
                %6$s
                %7$s
                %8$s
                %9$s
                """.formatted(
                TABLE, PORT_MAP, SERVICE_MAP_IPV4, SERVICE_MAP_IPV6, CUT_SET, timeout(), chains, flushes, ruleLines);
    }

    /**
     * Gives new connections to the understudy for the time of a lease; also renews one. Flush and add, because an element
     * with another value cannot be added over an old one, and one that has expired cannot be deleted.
     */
    public String pointToUnderstudy(Duration lease) {
        requireLease(lease);
        String timeout = " timeout " + lease.toMillis() + "ms : ";
        String port = element(PORT_MAP, spec.principalPort() + timeout + spec.understudyPort());
        return Stream.concat(
                        Stream.of(pointToPrincipal().strip(), port),
                        spec.services().stream().map(service -> serviceElement(service, timeout)))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** Ends the lease: new connections go to the principal. */
    public String pointToPrincipal() {
        return Stream.of(PORT_MAP, SERVICE_MAP_IPV4, SERVICE_MAP_IPV6)
                .map(map -> "flush map " + TABLE + " " + map + "\n")
                .collect(Collectors.joining());
    }

    /** Answers every packet for the principal with a reset for the time of a lease; also renews one. */
    public String cutOffPrincipal(Duration lease) {
        requireLease(lease);
        return letThrough() + element(CUT_SET, spec.principalPort() + " timeout " + lease.toMillis() + "ms") + "\n";
    }

    /** Lets packets through to the principal again. */
    public String letThrough() {
        return "flush set " + TABLE + " " + CUT_SET + "\n";
    }

    private static void requireLease(Duration lease) {
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("a lease must last a second at least, not " + lease);
        }
    }

    /** Removes the table, whether it is there or not. The caller has made sure that it is ours. */
    public String remove() {
        return "add table %1$s\ndelete table %1$s\n".formatted(TABLE);
    }

    /** What {@link #install} writes at the rules of a chain, in order: tells a whole table from a damaged or older one. */
    List<String> comments(String chain) {
        Predicate<Rule> ofChain = rule -> rule.chain().equals(chain);
        return rules.stream().filter(ofChain).map(this::comment).toList();
    }

    static List<String> chains() {
        return List.of(MARKER_CHAIN, PREROUTING, OUTPUT, INPUT, POSTROUTING, REUSED);
    }

    private String serviceElement(ServiceAddress service, String timeout) {
        String map = service.clusterIp() instanceof Inet6Address ? SERVICE_MAP_IPV6 : SERVICE_MAP_IPV4;
        String key = service.clusterIp().getHostAddress() + " . " + service.port();
        String value = spec.backend(service).getHostAddress() + " . " + spec.understudyPort();
        return element(map, key + timeout + value);
    }

    private static String element(String map, String element) {
        return "add element " + TABLE + " " + map + " { " + element + " }";
    }

    private String comment(Rule rule) {
        return "ouroboros " + fingerprint + ": " + rule.reason();
    }

    private static String natChain(String hook) {
        return hook + " { type nat hook " + hook + " priority -110 ; policy accept ; }";
    }

    private static String filterChain(String hook, int priority) {
        return hook + " { type filter hook " + hook + " priority " + priority + " ; policy accept ; }";
    }

    /** Of both address families. The list ends with a line, or nft does not take it; what it does not name stays the kernel's. */
    private static String timeout() {
        return "add ct timeout " + TABLE + " " + TIMEOUT + " { protocol tcp ; policy = { close : 1 }\n}";
    }

    private static List<Rule> rulesOf(FrontSpec spec) {
        String opening = NEW_CONNECTION + " tcp dport { " + spec.principalPort() + ", " + spec.understudyPort() + " }";
        String forgetting = opening + " ct status & confirmed == 0 ct timeout set \"" + TIMEOUT + "\"";
        String unserved = NEW_CONNECTION + " tcp dport " + spec.principalPort() + " fib daddr type local";
        return List.of(
                new Rule(MARKER_CHAIN, "ip daddr 127.0.0.0/8 accept", "an API server dials itself on loopback"),
                new Rule(MARKER_CHAIN, "ip6 daddr ::1 accept", "an API server dials itself on loopback"),
                new Rule(MARKER_CHAIN, serviceRule("ip", SERVICE_MAP_IPV4), "Services, before kube-proxy"),
                new Rule(MARKER_CHAIN, serviceRule("ip6", SERVICE_MAP_IPV6), "Services, before kube-proxy"),
                new Rule(MARKER_CHAIN, "fib daddr type != local accept", "other nodes have fronts of their own"),
                new Rule(
                        MARKER_CHAIN,
                        "meta l4proto tcp dnat to :tcp dport map @" + PORT_MAP,
                        "leases name the server of new connections"),
                new Rule(PREROUTING, NEW_CONNECTION + " jump " + MARKER_CHAIN, "old connections stay where they are"),
                new Rule(PREROUTING, unserved + " socket transparent le 1 accept", "the principal has a socket"),
                new Rule(PREROUTING, unserved + " dnat to :" + spec.understudyPort(), "the principal has no socket"),
                new Rule(OUTPUT, NEW_CONNECTION + " jump " + MARKER_CHAIN, "old connections stay where they are"),
                new Rule(INPUT, "ip daddr 127.0.0.0/8 accept", "probes see when it answers again"),
                new Rule(INPUT, "ip6 daddr ::1 accept", "probes see when it answers again"),
                new Rule(INPUT, forgetting, "a reset connection is forgotten after a second"),
                new Rule(
                        INPUT,
                        opening + " ct status assured ct expiration < 2s jump " + REUSED,
                        "a port that is used again so soon goes to the old server"),
                new Rule(INPUT, "tcp dport @" + CUT_SET + " reject with tcp reset", "the principal hangs"),
                new Rule(
                        POSTROUTING,
                        "oifname \"lo\" " + forgetting,
                        "the node's own connections are known before they come in"),
                new Rule(REUSED, "tcp dport @" + CUT_SET + " drop", "the principal hangs"),
                new Rule(REUSED, "socket transparent le 1 accept", "a server that lives resets connections too"),
                new Rule(REUSED, "drop", "it is asked again when the old connection is forgotten"));
    }

    private static String serviceRule(String family, String map) {
        return "meta l4proto tcp dnat %1$s to %1$s daddr . tcp dport map @%2$s".formatted(family, map);
    }

    private static String fingerprintOf(List<Rule> rules) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(rules.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
