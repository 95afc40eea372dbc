package dev.ouroboros.node.front;

import dev.ouroboros.core.front.FrontSpec;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.front.ServiceAddress;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Proves that the front works on this node, by its result: with the front pointed to the understudy, whoever dials the
 * node must meet the understudy. So it finds a firewall that does not know the understudy's port, a NOTRACK rule that hides the front
 * port from address translation, and another tool's translation that comes before ours, without knowing any of their rules.
 */
public final class FrontPreflight {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

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
     * Checks every path. The front must point to a running understudy, with a lease that outlasts the checks: at worst {@link
     * Dialer#TIMEOUT} for each of three calls an address and one a service.
     *
     * @return what is wrong; empty when the understudy got every connection
     */
    public List<Problem> check() {
        if (!(front.read() instanceof FrontState.ToUnderstudy)) {
            return List.of(notPointed());
        }
        FrontSpec spec = front.spec();
        CertificateIdentity understudy;
        try {
            understudy = onNode.identify(LOOPBACK, spec.understudyPort());
        } catch (IOException e) {
            return List.of(new Problem(
                    ErrorCode.COMPONENT_FAILED,
                    at(LOOPBACK, spec.understudyPort()),
                    "the understudy does not answer: " + reason(e),
                    "an API server",
                    "read its container's log"));
        }
        List<Problem> problems = new ArrayList<>();
        for (InetAddress address : spec.nodeAddresses()) {
            Optional<Problem> firewall = firewall(understudy, address, spec.understudyPort());
            firewall.ifPresent(problems::add);
            translated(onNode, "from the node", understudy, address, spec.principalPort())
                    .ifPresent(problems::add);
            if (firewall.isEmpty()) {
                translated(offLoopback, "from off loopback", understudy, address, spec.principalPort())
                        .ifPresent(problems::add);
            }
        }
        if (problems.isEmpty()) {
            for (ServiceAddress service : spec.services()) {
                translated(offLoopback, "from off loopback", understudy, service.clusterIp(), service.port())
                        .ifPresent(problems::add);
            }
        }
        if (!(front.read() instanceof FrontState.ToUnderstudy)) {
            return List.of(notPointed());
        }
        return List.copyOf(problems);
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
                    "let TCP port " + port + " through this node's firewall wherever the front port is let through"));
        }
    }

    private static Optional<Problem> translated(
            Dialer dialer, String from, CertificateIdentity understudy, InetAddress address, int port) {
        String next =
                "look for a rule with 'notrack' or another translation of this port: nft list ruleset; iptables-save";
        try {
            return dialer.identify(address, port).equals(understudy)
                    ? Optional.empty()
                    : Optional.of(new Problem(
                            ErrorCode.FRONT_BROKEN,
                            at(address, port),
                            "another server than the understudy answers " + from + ", although the front points to it",
                            "the understudy",
                            next));
        } catch (IOException e) {
            return Optional.of(new Problem(
                    ErrorCode.FRONT_BROKEN,
                    at(address, port),
                    "nobody answers " + from + ", although the front points to the understudy: " + reason(e),
                    "the understudy",
                    next));
        }
    }

    private Problem notPointed() {
        return new Problem(
                ErrorCode.FRONT_BROKEN,
                "front of port " + front.spec().principalPort(),
                "does not point to the understudy: " + front.read(),
                "a lease that outlasts the check",
                "");
    }

    private static String at(InetAddress address, int port) {
        String host = address.getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    private static String reason(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
