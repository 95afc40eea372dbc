package dev.ouroboros.sandbox;

import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;

/** The shell scripts of a sandbox, written where its processes run them from. */
public final class SandboxScripts {
    private final SandboxPaths paths;
    private final Disk disk;

    public SandboxScripts(SandboxPaths paths, Disk disk) {
        this.paths = paths;
        this.disk = disk;
    }

    /** Writes those of this program's version. */
    public void install() {
        Map.of(
                        "launch.sh", paths.launchScript(),
                        "supervisor.sh", paths.supervisorScript(),
                        "enter.sh", paths.enterScript(),
                        "switch.sh", paths.switchScript())
                .forEach(this::install);
    }

    private void install(String resource, Path file) {
        try (InputStream stream = SandboxPaths.class.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new IllegalStateException("resource " + resource + " is missing from the build");
            }
            disk.write(file, stream.readAllBytes(), "rwx------");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
