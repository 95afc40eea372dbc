package dev.ouroboros.status.source;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a node can be looked at from here.
 *
 * @param name its host name
 * @param root its file system: {@code /} on the node itself, for a sandbox the root directory of its process 1
 * @param network empty when it is ours
 */
public record NodePlace(String name, Path root, Optional<NetworkNamespace> network) {
    /** This machine. */
    public static NodePlace here(String name) {
        return new NodePlace(name, Path.of("/"), Optional.empty());
    }

    /** The machine whose process 1 has this PID here. */
    public static NodePlace ofProcess(String name, long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        return new NodePlace(
                name, process.resolve("root"), Optional.of(new NetworkNamespace(process.resolve("ns/net"))));
    }

    /** A file of the node, by its name there. */
    public Path file(String inside) {
        return root.resolve(Path.of("/").relativize(Path.of(inside)));
    }
}
