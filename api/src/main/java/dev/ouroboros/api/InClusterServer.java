package dev.ouroboros.api;

import dev.ouroboros.model.flags.DaemonFlags;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** The API server's URL for a pod: the {@code kubernetes} Service, as the kubelet tells every pod, unless the flag {@code --server} names another. */
public final class InClusterServer {
    private InClusterServer() {}

    /**
     * The server's URL; what is wrong with it is among the problems of the flags.
     *
     * @param environment in which the kubelet tells where the API is
     */
    public static URI of(DaemonFlags flags, Map<String, String> environment) {
        Optional<String> value = flags.optional("server").or(() -> ofPod(environment));
        try {
            URI server = URI.create(value.orElse(""));
            if ("https".equals(server.getScheme()) && server.getHost() != null) {
                return server;
            }
        } catch (IllegalArgumentException e) {
            flags.problem("--server", "found \"" + value.orElse("") + "\": " + e.getMessage(), "an https URL");
            return URI.create("");
        }
        flags.problem("--server", "found \"" + value.orElse("") + "\"", "an https URL; in a pod the kubelet tells it");
        return URI.create("");
    }

    private static Optional<String> ofPod(Map<String, String> environment) {
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        return host.isEmpty()
                ? Optional.empty()
                : Optional.of("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    }
}
