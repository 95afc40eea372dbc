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

    /** The node's disk, a sparse file with an ext4 file system. */
    public Path diskImage() {
        return directory().resolve("disk.img");
    }

    /** Mount point that only process 1 of the node uses, while it lays out its file system. */
    public Path staging() {
        return directory().resolve("staging");
    }

    public Path logs() {
        return directory().resolve("logs");
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

    public Path clusterDocument() {
        return directory().resolve("cluster.yaml");
    }

    /** A copy of the administrator's kubeconfig; its endpoint is the node's address, which the host reaches. */
    public Path kubeconfig() {
        return directory().resolve("kubeconfig");
    }
}
