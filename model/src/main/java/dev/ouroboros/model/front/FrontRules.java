package dev.ouroboros.model.front;

import java.net.Inet6Address;
import java.util.List;
import java.util.stream.Stream;

/**
 * The rules of the front's table, and the names of what they use.
 *
 * <p>How a packet that opens a connection goes through them:
 *
 * <ol>
 *   <li>Only a bare SYN is looked at. Without that, connection tracking, which the table switches on, takes a packet of an
 *       older connection for the first of a new one, and the connection is reset.
 *   <li>Loopback is never touched: an API server dials itself there and accepts only its own certificate.
 *   <li>{@code dnat}, never {@code redirect}: {@code redirect} rewrites to the first address of the interface, which a pod's veth may
 *       not have, and to 127.0.0.1 on the node itself.
 *   <li>The addresses of Services are translated here, at priority -110, because kube-proxy translates at -100 and a
 *       connection is translated once.
 *   <li>The front port is translated only for the node's own addresses: a pod that dials another node is left alone.
 *   <li>Elements of the maps are leases: the understudy gets the connection. Without a lease the principal gets it, or the understudy
 *       when no socket is bound to the principal's port. This last rule works in prerouting only: in output the packet's socket is
 *       the client's own.
 *   <li>Whichever server the maps name, these rules alone send clients away from one whose port is closed. In input the server's
 *       socket can be looked up for every packet, the node's own included. A SYN that finds no socket is dropped, and its server is
 *       in the set {@code principal_closed} or {@code understudy_closed} for some time: the next client goes to the other server, and
 *       so does this client's second SYN, a second later. For a principal that time covers its boot after its port is open again.
 *       When the other server is closed too, the client is refused, as it would be without a front, and the next client tries the
 *       other server again. The understudy's port is checked only for clients that the front sent there: a client that dials it
 *       directly is refused at once when it is closed.
 * </ol>
 *
 * <p>Each set has one possible element, the protocol: it is a flag that expires. A rule names the port before it asks for the flag: nft 1.1 takes
 * a protocol that is compared with a set for an unknown one, which a port must not follow, nor a reset: that is in a chain of its own.
 *
 * <p>A principal that hangs keeps its connections: the kernel accepts what clients send, but nothing answers. While the flag {@code
 * principal_cut} is set, also a lease, each packet that arrives for it, of an old connection or a new one, is answered with a reset;
 * a client that only listens learns of it with its next keep-alive. Loopback is exempt, so that probes see when the principal answers
 * again. (The sockets themselves could be closed at once, but only by kernels with INET_DIAG_DESTROY.) An understudy whose port is
 * closed is not left while the principal is cut off: its clients are refused, as the principal would refuse them, and the first one
 * that comes when it listens is served.
 *
 * <p>Connection tracking remembers where a connection went, and sends a SYN from the same port of the same client there again,
 * whatever the maps say now. So a connection to one of the two ports that is not answered, or that was reset, is remembered for a
 * second only. Not answered: its server hangs, or these rules dropped the SYN; the client's next SYN comes after a second. Reset: a
 * server that ends resets connections that nobody closed. These would be remembered for ten seconds (nf_conntrack_tcp_timeout_close),
 * while Linux chooses its client ports anew every ten seconds, and soon comes to one that it has just used. A SYN in that second
 * whose server has no socket any more is dropped, not refused. A SYN whose server has a socket goes through, because a living server
 * resets connections too, about one in a hundred. ({@code ct status assured}: the old connection was answered; {@code ct expiration}:
 * and is over. {@code confirmed}: only a new connection can be given a timeout.)
 *
 * <p>{@code socket transparent le 1} means "there is a socket", whatever it is. {@code socket wildcard} would not do: it
 * does not match a socket in TIME_WAIT, so a client that uses a port again would be sent away from a principal that is up.
 */
public final class FrontRules {
    /** The chain whose name says that the table is ours; a name survives everything short of deleting the table. */
    public static final String MARKER_CHAIN = "ouroboros.dev/front";

    static final String PREROUTING = "prerouting";
    static final String OUTPUT = "output";
    static final String INPUT = "input";
    static final String POSTROUTING = "postrouting";
    static final String HUNG = "hung";
    static final String REUSED = "reused";
    static final String UNSERVED = "unserved";

    static final String PORT_MAP = "front";
    static final String SERVICE_MAP_IPV4 = "service4";
    static final String SERVICE_MAP_IPV6 = "service6";
    static final String PRINCIPAL_CUT = "principal_cut";
    static final String PRINCIPAL_CLOSED = "principal_closed";
    static final String UNDERSTUDY_CLOSED = "understudy_closed";

    /** The timeout by which connection tracking forgets within a second. */
    static final String TIMEOUT = "second";

    private static final String NEW_CONNECTION = "tcp flags & (fin|syn|rst|ack) == syn";
    private static final String LEASES_COUNT = "meta l4proto != @" + UNDERSTUDY_CLOSED;
    private static final String PRINCIPAL_IS_LEFT = "meta l4proto @" + PRINCIPAL_CLOSED;
    private static final String CUT_COUNTS = "meta l4proto @" + PRINCIPAL_CUT;
    private static final String THERE_IS_A_SOCKET = "socket transparent le 1";

    private final FrontSpec spec;
    private final String opening;

    /** A rule of the table: its chain, its text, and for people its reason. */
    record Rule(String chain, String text, String reason) {}

    FrontRules(FrontSpec spec) {
        this.spec = spec;
        this.opening = NEW_CONNECTION + " tcp dport { " + spec.principalPort() + ", " + spec.understudyPort() + " }";
    }

    /** All rules; those of a chain are in its order. */
    List<Rule> rules() {
        return Stream.of(leading(), hooks(), receiving(), hung(), reused(), unserved())
                .flatMap(List::stream)
                .toList();
    }

    /** Rules that choose a new connection's server: by the maps, and by what was found closed. */
    private List<Rule> leading() {
        Stream<Rule> before = Stream.of(
                new Rule(MARKER_CHAIN, "ip daddr 127.0.0.0/8 accept", "an API server dials itself on loopback"),
                new Rule(MARKER_CHAIN, "ip6 daddr ::1 accept", "an API server dials itself on loopback"),
                new Rule(MARKER_CHAIN, serviceLeases("ip", SERVICE_MAP_IPV4), "Services, before kube-proxy"),
                new Rule(MARKER_CHAIN, serviceLeases("ip6", SERVICE_MAP_IPV6), "Services, before kube-proxy"));
        Stream<Rule> services = spec.services().stream()
                .map(service -> new Rule(MARKER_CHAIN, serviceFallback(service), "the principal was found closed"));
        Stream<Rule> port = Stream.of(
                new Rule(MARKER_CHAIN, "fib daddr type != local accept", "other nodes have fronts of their own"),
                new Rule(
                        MARKER_CHAIN,
                        LEASES_COUNT + " meta l4proto tcp dnat to :tcp dport map @" + PORT_MAP,
                        "leases name the server of new connections"),
                new Rule(
                        MARKER_CHAIN,
                        "tcp dport " + spec.principalPort() + " " + PRINCIPAL_IS_LEFT + toUnderstudy(),
                        "the principal was found closed"));
        return Stream.of(before, services, port).flatMap(rules -> rules).toList();
    }

    private List<Rule> hooks() {
        String toPrincipal = NEW_CONNECTION + " tcp dport " + spec.principalPort() + " fib daddr type local";
        return List.of(
                new Rule(PREROUTING, NEW_CONNECTION + " jump " + MARKER_CHAIN, "old connections stay where they are"),
                new Rule(PREROUTING, toPrincipal + " " + THERE_IS_A_SOCKET + " accept", "the principal has a socket"),
                new Rule(
                        PREROUTING,
                        LEASES_COUNT + " " + toPrincipal + " update @" + PRINCIPAL_CLOSED + " { meta l4proto }"
                                + toUnderstudy(),
                        "the principal has no socket, and nothing is known against the understudy"),
                new Rule(OUTPUT, NEW_CONNECTION + " jump " + MARKER_CHAIN, "old connections stay where they are"));
    }

    private List<Rule> receiving() {
        String forgetting = opening + " ct status & confirmed == 0 ct timeout set \"" + TIMEOUT + "\"";
        return List.of(
                new Rule(INPUT, "ip daddr 127.0.0.0/8 accept", "probes see when it answers again"),
                new Rule(INPUT, "ip6 daddr ::1 accept", "probes see when it answers again"),
                new Rule(INPUT, forgetting, "what is not answered or reset is forgotten after a second"),
                new Rule(
                        INPUT,
                        opening + " ct status assured ct expiration < 2s jump " + REUSED,
                        "a port that is used again so soon goes to the old server"),
                new Rule(INPUT, principalIsCut() + " jump " + HUNG, "nobody waits for a principal that hangs"),
                new Rule(INPUT, opening + " jump " + UNSERVED, "a server that is closed is left"),
                new Rule(
                        POSTROUTING,
                        "oifname \"lo\" " + forgetting,
                        "the node's own connections are known before they come in"));
    }

    private static List<Rule> hung() {
        return List.of(new Rule(HUNG, "meta l4proto tcp reject with tcp reset", "the principal hangs"));
    }

    private List<Rule> reused() {
        return List.of(
                new Rule(REUSED, principalIsCut() + " drop", "the principal hangs"),
                new Rule(REUSED, THERE_IS_A_SOCKET + " accept", "a server that lives resets connections too"),
                new Rule(REUSED, "drop", "it is asked again when the old connection is forgotten"));
    }

    private List<Rule> unserved() {
        String principal = "tcp dport " + spec.principalPort();
        String understudy = "tcp dport " + spec.understudyPort();
        return List.of(
                new Rule(UNSERVED, THERE_IS_A_SOCKET + " accept", "it is served"),
                new Rule(UNSERVED, understudy + " ct status & dnat == 0 accept", "the client chose this port itself"),
                new Rule(
                        UNSERVED,
                        understudy + " " + CUT_COUNTS + " accept",
                        "the principal is no way out: refused, and the next one asks again"),
                bothClosed(
                        principal,
                        UNDERSTUDY_CLOSED,
                        PRINCIPAL_CLOSED,
                        "accept",
                        "neither is open: refused, and the next one tries the other"),
                bothClosed(
                        understudy,
                        PRINCIPAL_CLOSED,
                        UNDERSTUDY_CLOSED,
                        "drop",
                        "the principal was closed, which may be long ago: this one asks it with its next SYN"),
                oneClosed(principal, PRINCIPAL_CLOSED),
                oneClosed(understudy, UNDERSTUDY_CLOSED));
    }

    private static Rule bothClosed(String port, String other, String own, String verdict, String reason) {
        return new Rule(
                UNSERVED,
                "%s meta l4proto @%s delete @%s { meta l4proto } update @%s { meta l4proto } %s"
                        .formatted(port, other, other, own, verdict),
                reason);
    }

    private static Rule oneClosed(String port, String own) {
        return new Rule(
                UNSERVED,
                "%s update @%s { meta l4proto } drop".formatted(port, own),
                "the next one goes to the other, this one with its next SYN");
    }

    private String principalIsCut() {
        return "tcp dport " + spec.principalPort() + " " + CUT_COUNTS;
    }

    private String toUnderstudy() {
        return " dnat to :" + spec.understudyPort();
    }

    private static String serviceLeases(String family, String map) {
        return LEASES_COUNT + " meta l4proto tcp dnat %1$s to %1$s daddr . tcp dport map @%2$s".formatted(family, map);
    }

    private String serviceFallback(ServiceAddress service) {
        boolean ipv6 = service.clusterIp() instanceof Inet6Address;
        String backend = spec.backend(service).getHostAddress();
        return "%s daddr %s tcp dport %d %s dnat %s to %s:%d"
                .formatted(
                        ipv6 ? "ip6" : "ip",
                        service.clusterIp().getHostAddress(),
                        service.port(),
                        PRINCIPAL_IS_LEFT,
                        ipv6 ? "ip6" : "ip",
                        ipv6 ? "[" + backend + "]" : backend,
                        spec.understudyPort());
    }
}
