package dev.ouroboros.cli.program;

import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.oci.ImageBuilder;
import dev.ouroboros.images.oci.ImageBundle;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.sandbox.node.NodeLayout;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;

/** What the verbs hand to the modules: this machine's disk and processes, and what is put together of them. Nothing else makes these. */
public final class ThisMachine {
    private ThisMachine() {}

    public static Disk disk() {
        return new LocalDisk();
    }

    public static Processes processes() {
        return new LocalProcesses();
    }

    /** The text of a file that somebody named, and that must be there. */
    public static String text(Path file, String expected, String next) {
        return disk().readText(file.toAbsolutePath())
                .orElseThrow(() ->
                        ProblemException.of(ErrorCode.NOT_FOUND, file.toString(), "does not exist", expected, next));
    }

    public static DebianPackages packages() {
        return new DebianPackages(processes(), disk(), DebianPackages.DEFAULT_SCRATCH);
    }

    public static Renderer renderer() {
        return new Renderer(disk(), InstantSource.system(), new SecureRandom());
    }

    /** With the user's cache. */
    public static ImagesModule images() {
        return ImagesModule.create(
                processes(),
                disk(),
                InstantSource.system(),
                cache(),
                architecture(),
                ImageBuilder.Daemons.find(
                        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(Path::of)
                                .toList()),
                ProxyEnvironment.of(System.getenv()));
    }

    public static ImageBundle bundles() {
        return new ImageBundle(processes(), disk(), cache());
    }

    /** The user's. */
    public static CacheDirectory cache() {
        return CacheDirectory.of(System.getenv(), Path.of(System.getProperty("user.home")));
    }

    public static Architecture architecture() {
        return Architecture.of(System.getProperty("os.arch"));
    }

    /** A shell command that restarts the kubelet of this machine, or of this node of a sandbox; empty when none is known. */
    public static Optional<String> kubeletRestart() {
        if (Files.exists(NodeLayout.CONTROL)) {
            return Optional.of(NodeLayout.RESTART_KUBELET);
        }
        // sd_booted(3): the directory exists exactly when systemd is the init system.
        return Files.isDirectory(Path.of("/run/systemd/system"))
                ? Optional.of("systemctl try-restart kubelet")
                : Optional.empty();
    }

    /** Refuses whoever is not root. */
    public static void requireRoot(String where, String what) {
        if (!System.getProperty("user.name").equals("root")) {
            throw ProblemException.of(ErrorCode.MISSING_PERMISSION, where, what, "", "run it as root (sudo ouro ...)");
        }
    }
}
