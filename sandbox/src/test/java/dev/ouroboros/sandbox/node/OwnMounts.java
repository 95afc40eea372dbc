package dev.ouroboros.sandbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A process that sees directories of the test as its {@code /var/lib} and {@code /run}, as a node's process 1 sees the node's own. */
final class OwnMounts implements AutoCloseable {
    private final Path root;
    private final Process process;

    OwnMounts(Path directory) throws IOException {
        root = directory;
        Files.createDirectories(file("/var/lib"));
        Files.createDirectories(file("/run"));
        String script =
                "mount --bind \"$0/var/lib\" /var/lib && mount --bind \"$0/run\" /run && echo ready && read -r _";
        process = new ProcessBuilder(
                        "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, root.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
    }

    /** What it sees at a path below one of the two. */
    final Path file(String path) {
        return root.resolve(path.substring(1));
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
