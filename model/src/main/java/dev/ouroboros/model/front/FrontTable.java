package dev.ouroboros.model.front;

import static dev.ouroboros.model.front.FrontRules.HUNG;
import static dev.ouroboros.model.front.FrontRules.INPUT;
import static dev.ouroboros.model.front.FrontRules.MARKER_CHAIN;
import static dev.ouroboros.model.front.FrontRules.OUTPUT;
import static dev.ouroboros.model.front.FrontRules.PORT_MAP;
import static dev.ouroboros.model.front.FrontRules.POSTROUTING;
import static dev.ouroboros.model.front.FrontRules.PREROUTING;
import static dev.ouroboros.model.front.FrontRules.PRINCIPAL_CLOSED;
import static dev.ouroboros.model.front.FrontRules.PRINCIPAL_CUT;
import static dev.ouroboros.model.front.FrontRules.REUSED;
import static dev.ouroboros.model.front.FrontRules.SERVICE_MAP_IPV4;
import static dev.ouroboros.model.front.FrontRules.SERVICE_MAP_IPV6;
import static dev.ouroboros.model.front.FrontRules.TIMEOUT;
import static dev.ouroboros.model.front.FrontRules.UNDERSTUDY_CLOSED;
import static dev.ouroboros.model.front.FrontRules.UNSERVED;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.front.FrontRules.Rule;
import java.net.Inet6Address;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The front's nftables table as scripts for {@code nft -f}. Each script is one transaction: the kernel takes all of it or
 * nothing, and no packet meets a half-made table.
 */
public final class FrontTable {
    public static final String FAMILY = "inet";
    public static final String NAME = "ouroboros";

    static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    /**
     * How long a principal whose port was found closed gets no clients while the understudy's port is open: as long as it may boot
     * after it begins to listen, because the kernel sees an open port, not whether the server behind it can serve. A keeper that
     * knows that it can serve sends clients back sooner.
     */
    public static final Duration PRINCIPAL_LEFT_OUT = Duration.ofSeconds(60);
    /** The same for an understudy; short, because its lease already says that clients belong there. */
    private static final Duration UNDERSTUDY_LEFT_OUT = Duration.ofSeconds(5);

    private static final String TABLE = FAMILY + " " + NAME;

    private final FrontSpec spec;
    private final List<Rule> rules;
    private final String fingerprint;

    public FrontTable(FrontSpec spec) {
        this.spec = spec;
        this.rules = new FrontRules(spec).rules();
        this.fingerprint = fingerprintOf(rules);
    }

    public FrontSpec spec() {
        return spec;
    }

    /**
     * Makes the table, or repairs an existing one. What holds one field is declared by typeof: nftables before 1.1 crash at sets and maps that a newer one
     * has declared by a type, whoever's they are, and a node's own program and that of a keeper's image may differ. Leases stay as they are, so that the script can run at any time, but a cut-off
     * ends. The caller has made sure that a table of this name is ours.
     */
    public String install() {
        String chains = Stream.of(
                        "add chain " + TABLE + " " + MARKER_CHAIN,
                        "add chain " + TABLE + " " + natChain(PREROUTING),
                        "add chain " + TABLE + " " + natChain(OUTPUT),
                        "add chain " + TABLE + " " + filterChain(INPUT, -10),
                        "add chain " + TABLE + " " + filterChain(POSTROUTING, 0),
                        "add chain " + TABLE + " " + HUNG,
                        "add chain " + TABLE + " " + REUSED,
                        "add chain " + TABLE + " " + UNSERVED)
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
                add map %1$s %2$s { typeof tcp dport : tcp dport ; flags timeout ; }
                add map %1$s %3$s { type ipv4_addr . inet_service : ipv4_addr . inet_service ; flags timeout ; }
                add map %1$s %4$s { type ipv6_addr . inet_service : ipv6_addr . inet_service ; flags timeout ; }
                add set %1$s %5$s { typeof meta l4proto ; flags timeout ; }
                flush set %1$s %5$s
                add set %1$s %6$s { typeof meta l4proto ; size 2 ; flags dynamic,timeout ; timeout %8$ds ; }
                add set %1$s %7$s { typeof meta l4proto ; size 2 ; flags dynamic,timeout ; timeout %9$ds ; }
                %10$s
                %11$s
                %12$s
                %13$s
                """.formatted(
                        TABLE,
                        PORT_MAP,
                        SERVICE_MAP_IPV4,
                        SERVICE_MAP_IPV6,
                        PRINCIPAL_CUT,
                        PRINCIPAL_CLOSED,
                        UNDERSTUDY_CLOSED,
                        PRINCIPAL_LEFT_OUT.toSeconds(),
                        UNDERSTUDY_LEFT_OUT.toSeconds(),
                        timeout(),
                        chains,
                        flushes,
                        ruleLines);
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

    /** Ends the lease: new connections go to the principal. Also forgets which ports were found closed: they may be open again. */
    public String pointToPrincipal() {
        return Stream.of(
                        "map " + PORT_MAP,
                        "map " + SERVICE_MAP_IPV4,
                        "map " + SERVICE_MAP_IPV6,
                        "set " + PRINCIPAL_CLOSED,
                        "set " + UNDERSTUDY_CLOSED)
                .map(held -> "flush " + held.replaceFirst(" ", " " + TABLE + " ") + "\n")
                .collect(Collectors.joining());
    }

    /** Answers every packet for the principal with a reset for the time of a lease; also renews one. An understudy that was left is asked again. */
    public String cutOffPrincipal(Duration lease) {
        requireLease(lease);
        return letThrough()
                + "flush set " + TABLE + " " + UNDERSTUDY_CLOSED + "\n"
                + element(PRINCIPAL_CUT, "tcp timeout " + lease.toMillis() + "ms") + "\n";
    }

    /** Lets packets through to the principal again. */
    public String letThrough() {
        return "flush set " + TABLE + " " + PRINCIPAL_CUT + "\n";
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

    /** The comments that {@link #install} gives the rules of a chain, in order; they tell an intact table from a damaged or older one. */
    List<String> comments(String chain) {
        Predicate<Rule> ofChain = rule -> rule.chain().equals(chain);
        return rules.stream().filter(ofChain).map(this::comment).toList();
    }

    static List<String> chains() {
        return List.of(MARKER_CHAIN, PREROUTING, OUTPUT, INPUT, POSTROUTING, HUNG, REUSED, UNSERVED);
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

    /**
     * For both address families. nft accepts the list only with a line break at its end; timeouts that it does not name stay the
     * kernel's.
     */
    private static String timeout() {
        return "add ct timeout " + TABLE + " " + TIMEOUT + " { protocol tcp ; policy = { syn_sent : 1, close : 1 }\n}";
    }

    private static String fingerprintOf(List<Rule> rules) {
        return Sha256.hex(rules.toString()).substring(0, 8);
    }
}
