package dev.ouroboros.sandbox;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.port.PortProbe;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** How this machine, which no balancer leads anywhere, gets to the API of a sandbox. */
public final class SandboxApi {
    private SandboxApi() {}

    /**
     * The API server of the first node, which the sandbox's kubeconfig names; while nobody listens there, that of another node.
     *
     * @throws ProblemException with everything that is wrong in the kubeconfig
     */
    public static Endpoint endpoint(Sandbox sandbox) {
        return endpoint(sandbox, _ -> true);
    }

    /** As {@link #endpoint(Sandbox)}, of those other nodes that may be asked. */
    public static Endpoint endpoint(Sandbox sandbox, Predicate<SandboxNode> asked) {
        Endpoint first = KubeconfigFile.read(sandbox.paths().kubeconfig(), Optional.empty());
        Stream<Endpoint> others = sandbox.nodes().stream()
                .skip(1)
                .filter(node -> node.running().isPresent() && asked.test(node))
                .flatMap(node -> node.address().stream())
                .map(address -> first.at(
                        URI.create("https://" + address + ":" + first.server().getPort())));
        return Stream.concat(Stream.of(first), others)
                .filter(endpoint -> listens(endpoint.server()))
                .findFirst()
                .orElse(first);
    }

    /** Whether an API server of this node, or whoever stands in front of it, takes connections. */
    public static boolean listens(SandboxNode node, Endpoint endpoint) {
        return node.address()
                .filter(address -> listens(endpoint.server(), address))
                .isPresent();
    }

    private static boolean listens(URI server) {
        return listens(server, server.getHost());
    }

    private static boolean listens(URI server, String address) {
        return PortProbe.takesConnections(new InetSocketAddress(address, server.getPort()));
    }
}
