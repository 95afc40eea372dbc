package dev.ouroboros.sandbox;

import java.nio.file.Path;

/**
 * Where a sandbox keeps its files on the host.
 *
 * @param root the directory of all sandboxes
 * @param name which sandbox
 */
public record SandboxPaths(Path root, SandboxName name) {
    public static final Path DEFAULT_ROOT = Path.of("/var/lib/ouroboros/sandboxes");

    public Path directory() {
        return root.resolve(name.value());
    }

    /** Held by the command that changes the sandbox. */
    public Path lock() {
        return directory().resolve("lock");
    }

    public Path record() {
        return directory().resolve("sandbox.json");
    }

    /** The directories of its nodes but the first. */
    public Path nodes() {
        return directory().resolve("nodes");
    }

    /** The files of one of its nodes. */
    public NodePaths node(String node) {
        return new NodePaths(this, node);
    }

    public Path launchScript() {
        return directory().resolve("launch.sh");
    }

    public Path supervisorScript() {
        return directory().resolve("supervisor.sh");
    }

    public Path enterScript() {
        return directory().resolve("enter.sh");
    }

    public Path switchScript() {
        return directory().resolve("switch.sh");
    }

    public Path switchLog() {
        return directory().resolve("switch.log");
    }

    public Path clusterDocument() {
        return directory().resolve("cluster.yaml");
    }

    /** A copy of the administrator's kubeconfig; its endpoint is the node's address, which the host reaches. */
    public Path kubeconfig() {
        return directory().resolve("kubeconfig");
    }
}
