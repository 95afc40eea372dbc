package dev.ouroboros.node.front;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Proves by dialling that the front works on this node: a client of the node must meet the server that the front points to. This finds a firewall
 * that blocks the understudy's port, a NOTRACK rule that hides the front port from address translation, and another tool's address translation that
 * comes before ours, without knowing any of their rules.
 */
public final class FrontPreflight {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    /** A busy machine can miss a time limit once; a firewall stands there each time. */
    private static final int TRIES = 3;

    private final Front front;
    private final Dialer onNode;
    private final Dialer offLoopback;

    /**
     * @param onNode dials from the node itself
     * @param offLoopback dials from a place whose packets enter the node by a link, see {@link OffLoopback}
     */
    public FrontPreflight(Front front, Dialer onNode, Dialer offLoopback) {
        this.front = front;
        this.onNode = onNode;
        this.offLoopback = offLoopback;
    }

    /**
     * Checks every path before a pivot. The front must point to a running understudy, with a lease that outlasts the checks: at worst
     * {@link Dialer#TIMEOUT} for each of three calls an address and one a service, {@value #TRIES} times.
     *
     * @return what is wrong each time; empty when the understudy got every connection
     */
    public List<Problem> check() {
        return repeatedly(() -> {
            if (!(front.read() instanceof FrontState.ToUnderstudy)) {
                return List.of(notPointed());
            }
            List<Problem> problems = paths(Server.UNDERSTUDY);
            return front.read() instanceof FrontState.ToUnderstudy ? problems : List.of(notPointed());
        });
    }

    /**
     * Checks every path of a running node, wherever its front points; changes nothing. While the front points to the principal, a NOTRACK rule on the
     * front port cannot be found this way; where no understudy runs, a firewall that rejects its port cannot be told from a closed port.
     *
     * @return what is wrong each time; empty when the server that the front points to got every connection
     */
    public List<Problem> look() {
        return repeatedly(() -> {
            FrontState before = front.read();
            Optional<Server> leads = leader(before);
            if (leads.isEmpty()) {
                return List.of(leadsNowhere(before));
            }
            List<Problem> problems = new ArrayList<>(paths(leads.get()));
            if (leads.get() == Server.PRINCIPAL) {
                problems.addAll(understudyPort());
            }
            FrontState after = front.read();
            return leader(after).equals(leads) ? List.copyOf(problems) : List.of(leadsNowhere(after));
        });
    }

    private static List<Problem> repeatedly(Supplier<List<Problem>> look) {
        List<Problem> problems = look.get();
        for (int again = 1; again < TRIES && !problems.isEmpty(); again++) {
            problems = look.get();
        }
        return problems;
    }

    private static Optional<Server> leader(FrontState state) {
        return switch (state) {
            case FrontState.ToPrincipal _ -> Optional.of(Server.PRINCIPAL);
            case FrontState.ToUnderstudy _ -> Optional.of(Server.UNDERSTUDY);
            case FrontState.Unknown _, FrontState.NotInstalled _, FrontState.Foreign _, FrontState.Damaged _ ->
                Optional.empty();
        };
    }

    private List<Problem> paths(Server leader) {
        FrontSpec spec = front.spec();
        CertificateIdentity expected;
        try {
            expected = onNode.identify(LOOPBACK, spec.portOf(leader));
        } catch (IOException e) {
            return List.of(new Problem(
                    ErrorCode.COMPONENT_FAILED,
                    at(LOOPBACK, spec.portOf(leader)),
                    name(leader) + " does not answer: " + reason(e),
                    "an API server",
                    "read its container's log"));
        }
        List<Problem> problems = new ArrayList<>();
        for (InetAddress address : spec.nodeAddresses()) {
            Optional<Problem> firewall =
                    leader == Server.UNDERSTUDY ? firewall(expected, address, spec.understudyPort()) : Optional.empty();
            firewall.ifPresent(problems::add);
            met(leader, onNode, "from the node", expected, address, spec.principalPort())
                    .ifPresent(problems::add);
            if (firewall.isEmpty()) {
                met(leader, offLoopback, "from off loopback", expected, address, spec.principalPort())
                        .ifPresent(problems::add);
            }
        }
        if (problems.isEmpty()) {
            for (ServiceAddress service : spec.services()) {
                met(leader, offLoopback, "from off loopback", expected, service.clusterIp(), service.port())
                        .ifPresent(problems::add);
            }
        }
        return List.copyOf(problems);
    }

    /** What keeps connections from the understudy's port: an understudy that runs must answer, or else the kernel must say that nobody listens. */
    private List<Problem> understudyPort() {
        int port = front.spec().understudyPort();
        Optional<CertificateIdentity> running;
        try {
            running = Optional.of(onNode.identify(LOOPBACK, port));
        } catch (IOException e) {
            running = Optional.empty();
        }
        List<Problem> problems = new ArrayList<>();
        for (InetAddress address : front.spec().nodeAddresses()) {
            running.map(understudy -> firewall(understudy, address, port))
                    .orElseGet(() -> closedPort(address, port))
                    .ifPresent(problems::add);
        }
        return problems;
    }

    private Optional<Problem> firewall(CertificateIdentity understudy, InetAddress address, int port) {
        try {
            CertificateIdentity answered = offLoopback.identify(address, port);
            return answered.equals(understudy)
                    ? Optional.empty()
                    : Optional.of(new Problem(
                            ErrorCode.FRONT_BROKEN,
                            at(address, port),
                            "another server than the understudy answers",
                            "the API server that listens on " + at(LOOPBACK, port),
                            "see who listens there: ss -ltnp 'sport = :" + port + "'"));
        } catch (IOException e) {
            return Optional.of(new Problem(
                    ErrorCode.FRONT_BROKEN,
                    at(address, port),
                    "does not answer from off loopback, but does on loopback: " + reason(e),
                    "the understudy, bound to all addresses",
                    letThrough(port)));
        }
    }

    private Optional<Problem> closedPort(InetAddress address, int port) {
        try {
            offLoopback.identify(address, port);
            return Optional.of(new Problem(
                    ErrorCode.FRONT_BROKEN,
                    at(address, port),
                    "a server answers there that does not answer on loopback",
                    "nobody, or the understudy",
                    "see who listens there: ss -ltnp 'sport = :" + port + "'"));
        } catch (ConnectException refused) {
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(new Problem(
                    ErrorCode.FRONT_BROKEN,
                    at(address, port),
                    "packets from off loopback do not get there: " + reason(e),
                    "to be refused while no understudy runs",
                    letThrough(port)));
        }
    }

    private static String letThrough(int port) {
        return "let TCP port " + port + " through this node's firewall wherever the front port is let through";
    }

    private static Optional<Problem> met(
            Server leader, Dialer dialer, String from, CertificateIdentity expected, InetAddress address, int port) {
        String next =
                "look for a rule with 'notrack' or another translation of this port: nft list ruleset; iptables-save";
        try {
            return dialer.identify(address, port).equals(expected)
                    ? Optional.empty()
                    : Optional.of(new Problem(
                            ErrorCode.FRONT_BROKEN,
                            at(address, port),
                            "another server than " + name(leader) + " answers " + from
                                    + ", although the front points to it",
                            name(leader),
                            next));
        } catch (IOException e) {
            return Optional.of(new Problem(
                    ErrorCode.FRONT_BROKEN,
                    at(address, port),
                    "nobody answers " + from + ", although the front points to " + name(leader) + ": " + reason(e),
                    name(leader),
                    next));
        }
    }

    private Problem notPointed() {
        return new Problem(
                ErrorCode.FRONT_BROKEN,
                "front of port " + front.spec().principalPort(),
                "does not point to the understudy: " + front.read(),
                "a lease that outlasts the check",
                "run the same command again; if it comes back: nft list table inet ouroboros");
    }

    private Problem leadsNowhere(FrontState state) {
        String what = switch (state) {
            case FrontState.Unknown(String reason) -> "cannot be read: " + reason;
            case FrontState.NotInstalled _ -> "is not installed";
            case FrontState.Foreign(String description) -> "is not ours: " + description;
            case FrontState.Damaged(String damage) -> "is damaged: " + damage;
            case FrontState.ToPrincipal _, FrontState.ToUnderstudy _ -> "moved while it was looked at";
        };
        return new Problem(
                ErrorCode.FRONT_BROKEN,
                "front of port " + front.spec().principalPort(),
                what,
                "a table that points to an API server",
                "see what the keeper of this node does: ouro explain");
    }

    private static String name(Server server) {
        return switch (server) {
            case PRINCIPAL -> "the principal";
            case UNDERSTUDY -> "the understudy";
        };
    }

    private static String at(InetAddress address, int port) {
        String host = address.getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
