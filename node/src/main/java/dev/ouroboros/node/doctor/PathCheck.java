package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.ServiceAddress;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.front.Dialer;
import dev.ouroboros.node.front.FrontPreflight;
import dev.ouroboros.node.front.NftFront;
import dev.ouroboros.node.front.OffLoopback;
import dev.ouroboros.node.port.Listener;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.Processes;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether clients of a running node reach the API server that its front points to, by the certificates that they are shown: the same {@link
 * FrontPreflight} that {@code start} makes before a pivot. The keeper's command line names the addresses. While the check runs there is a network
 * namespace at the end of a veth.
 */
final class PathCheck implements Check {
    private static final String CHECK = "path";

    private final Processes processes;
    private final Listeners listeners;

    PathCheck(Processes processes, Listeners listeners) {
        this.processes = processes;
        this.listeners = listeners;
    }

    @Override
    public List<Finding> run() {
        return switch (listeners.on(Component.KEEPER.port())) {
            case Unknown<List<Listener>>(String why) -> List.of(Finding.unknown(CHECK, why));
            case Known<List<Listener>>(List<Listener> keepers) when keepers.isEmpty() -> List.of(withoutKeeper());
            case Known<List<Listener>>(List<Listener> keepers) ->
                keepers.stream()
                        .flatMap(keeper -> spec(keeper.command()).stream())
                        .findFirst()
                        .map(this::prove)
                        .orElseGet(() -> List.of(Finding.unknown(
                                CHECK,
                                "who listens on port " + Component.KEEPER.port()
                                        + " does not say which addresses it keeps")));
        };
    }

    private Finding withoutKeeper() {
        Evidence<List<Listener>> servers = listeners.on(Component.API_SERVER.port());
        return servers.is(List::isEmpty)
                ? Finding.ok(CHECK, "no API server is here yet: start proves the path before it moves a client")
                : Finding.unknown(CHECK, "no keeper runs here that would say at which addresses clients come");
    }

    private List<Finding> prove(FrontSpec spec) {
        boolean ipv6 = spec.nodeAddresses().stream().anyMatch(address -> address instanceof Inet6Address);
        try (OffLoopback place = OffLoopback.open(processes, List.of(), ipv6)) {
            return judge(spec, new FrontPreflight(new NftFront(processes, spec), Dialer.here(), place.dialer()).look());
        }
    }

    static List<Finding> judge(FrontSpec spec, List<Problem> problems) {
        if (problems.isEmpty()) {
            return List.of(
                    Finding.ok(
                            CHECK,
                            "who dials " + targets(spec)
                                    + ", on the node or from off loopback, is shown the certificate of the API server that the front means"));
        }
        return problems.stream().map(PathCheck::finding).toList();
    }

    private static Finding finding(Problem problem) {
        return Ailment.PATH_IS_BROKEN.seen(
                problem.where() + ": " + problem.what(),
                problem.next().isEmpty() ? "ask again: ouro doctor" : problem.next());
    }

    private static String targets(FrontSpec spec) {
        Stream<String> node =
                spec.nodeAddresses().stream().map(address -> address.getHostAddress() + ":" + spec.principalPort());
        Stream<String> services =
                spec.services().stream().map(service -> service.clusterIp().getHostAddress() + ":" + service.port());
        return String.join(", ", Stream.concat(node, services).toList());
    }

    /** The front that a keeper's flags describe; empty when the command line is no keeper's. */
    static Optional<FrontSpec> spec(String command) {
        List<InetAddress> nodes = addresses(command, "--node-address=");
        List<ServiceAddress> services = addresses(command, "--service-cluster-ip=").stream()
                .map(ServiceAddress::ofKubernetes)
                .toList();
        int port = values(command, "--principal-port=")
                .findFirst()
                .map(Integer::parseInt)
                .orElse(Component.API_SERVER.port());
        return nodes.isEmpty()
                ? Optional.empty()
                : Optional.of(new FrontSpec(port, Component.API_SERVER.understudyPort(), nodes, services));
    }

    private static List<InetAddress> addresses(String command, String flag) {
        List<InetAddress> found = new ArrayList<>();
        values(command, flag)
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .forEach(text -> found.add(InetAddress.ofLiteral(text)));
        return found;
    }

    private static Stream<String> values(String command, String flag) {
        return Arrays.stream(command.split(" ", -1))
                .filter(word -> word.startsWith(flag))
                .map(word -> word.substring(flag.length()));
    }
}
