package dev.ouroboros.api;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.node.disk.Disk;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A kubeconfig that is written as JSON.
 *
 * @param server replaces that of the kubeconfig, if given
 */
record KubeconfigSource(Disk disk, Path file, Optional<URI> server) implements EndpointSource {
    @Override
    public String text() throws ApiException {
        return disk.readText(file).orElseThrow(() -> new ApiException(Kind.NO_CREDENTIALS, file + ": no such file"));
    }

    @Override
    public Endpoint endpoint(String text) {
        return KubeconfigJson.read(file, text, server);
    }
}
