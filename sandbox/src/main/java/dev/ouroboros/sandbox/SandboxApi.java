package dev.ouroboros.sandbox;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.Optional;
import java.util.stream.Stream;

/** How this machine, which no balancer leads anywhere, gets to the API of a sandbox. */
public final class SandboxApi {
    private static final int CONNECT_MILLIS = 500;

    private SandboxApi() {}

    /**
     * The API server of the first node, which the sandbox's kubeconfig names; while nobody listens there, that of another node.
     *
     * @throws ProblemException with everything that is wrong in the kubeconfig
     */
    public static Endpoint endpoint(Sandbox sandbox) {
        Endpoint first = KubeconfigFile.read(sandbox.paths().kubeconfig(), Optional.empty());
        Stream<Endpoint> others = sandbox.nodes().stream()
                .skip(1)
                .filter(node -> node.running().isPresent())
                .flatMap(node -> node.address().stream())
                .map(address -> first.at(
                        URI.create("https://" + address + ":" + first.server().getPort())));
        return Stream.concat(Stream.of(first), others)
                .filter(SandboxApi::listens)
                .findFirst()
                .orElse(first);
    }

    private static boolean listens(Endpoint endpoint) {
        URI server = endpoint.server();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
