package dev.ouroboros.model.registry;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A server that is asked for the images of a registry before the registry itself.
 *
 * @param registry as images name it, with its port if they say one; {@link #EVERY} for all that have no mirror of their own
 * @param server {@code http} or {@code https}
 */
public record RegistryMirror(String registry, URI server) {
    /** containerd's name for every registry. */
    public static final String EVERY = "_default";

    private static final String DOCKER = "docker.io";
    private static final Pattern REGISTRY =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?");

    /**
     * Parses {@code [REGISTRY=]URL}. Without a registry it is Docker's, as with minikube and Docker itself; {@code *} and {@code
     * _default} are every registry, as with k3s and containerd.
     */
    public static Optional<RegistryMirror> parse(String text) {
        int equals = text.indexOf('=');
        boolean named = equals >= 0 && !text.substring(0, equals).contains("/");
        String registry = named ? text.substring(0, equals) : DOCKER;
        String name = registry.equals("*") ? EVERY : registry;
        if (!name.equals(EVERY) && !REGISTRY.matcher(name).matches()) {
            return Optional.empty();
        }
        return server(named ? text.substring(equals + 1) : text).map(server -> new RegistryMirror(name, server));
    }

    private static Optional<URI> server(String text) {
        try {
            URI server = URI.create(text.replaceFirst("/+$", ""));
            boolean usable = ("http".equals(server.getScheme()) || "https".equals(server.getScheme()))
                    && server.getHost() != null
                    && server.getPort() <= 65535
                    && server.getUserInfo() == null
                    && server.getQuery() == null
                    && server.getFragment() == null
                    // It is written between quotation marks.
                    && text.indexOf('"') < 0;
            return usable ? Optional.of(server) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether it says where the API begins: else containerd asks below {@code /v2} of it. */
    boolean hasPathOfApi() {
        String path = server.getPath();
        return path.equals("/v2") || path.startsWith("/v2/");
    }

    /** Whether the server is only one for who asks on the same machine. */
    public boolean isOnLoopback() {
        String host = server.getHost();
        return host.equals("localhost") || host.startsWith("127.") || host.equals("[::1]");
    }
}
