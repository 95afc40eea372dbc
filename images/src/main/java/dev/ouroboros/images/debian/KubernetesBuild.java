package dev.ouroboros.images.debian;

import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

/** Compiles Kubernetes from an unpacked source package, with everything that the build writes below one work directory. */
final class KubernetesBuild {
    private static final Duration TIMEOUT = Duration.ofHours(2);

    private final Processes processes;
    private final Disk disk;
    private final InstantSource clock;
    private final Path work;

    KubernetesBuild(Processes processes, Disk disk, InstantSource clock, Path work) {
        this.processes = processes;
        this.disk = disk;
        this.clock = clock;
        this.work = work;
    }

    /**
     * Builds static binaries into {@code destination}, {@code pause} among them.
     *
     * @param tree the unpacked source
     * @param goPrograms the directory of the {@code go} command
     * @param guard a file that the build and all its descendants hold locked (flock), so that nobody takes the work directory
     *     of a build that outlived us for abandoned
     */
    void run(Path tree, SourceVersion version, Path goPrograms, Path guard, Path destination, Progress progress) {
        requireVendored(tree);
        linkIntoGoPath(tree);
        for (String directory : List.of("tmp", "home")) {
            disk.createDirectories(work.resolve(directory), Disk.OWNER_ONLY_DIRECTORY);
        }
        BuildProgress lines = new BuildProgress(progress, clock);
        Result result = processes.stream(make(tree, version, goPrograms, guard), lines::line);
        if (!result.succeeded()) {
            throw failed(result, lines);
        }
        progress.say("compiled Kubernetes " + version.kubernetes() + " in " + lines.elapsed());
        for (Binary binary : Binary.of(Binary.Project.KUBERNETES)) {
            Path built = tree.resolve("_output/bin").resolve(binary.fileName());
            disk.copy(built, destination.resolve(binary.fileName()), "rwxr-xr-x");
        }
        compilePause(tree, version, destination);
    }

    /** Later Debian releases take the libraries out of the source; such a tree needs a different build. */
    private void requireVendored(Path tree) {
        if (!Files.isRegularFile(tree.resolve("vendor/modules.txt"))) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    tree.toString(),
                    "Debian's source package of this release does not contain the libraries it needs",
                    "a source package with vendor/, as in Debian 12",
                    "use --binaries release or --binaries DIR");
        }
    }

    private void linkIntoGoPath(Path tree) {
        Path parent = tree.resolve(".go/src/k8s.io");
        disk.createDirectories(parent, "rwxr-xr-x");
        processes
                .run(Command.of(
                        "ln",
                        "-sfn",
                        tree.toString(),
                        parent.resolve("kubernetes").toString()))
                .orThrow();
    }

    private Command make(Path tree, SourceVersion version, Path goPrograms, Path guard) {
        String targets = Binary.of(Binary.Project.KUBERNETES).stream()
                .map(binary -> "cmd/" + binary.fileName())
                .collect(Collectors.joining(" "));
        return Command.of("flock", "--exclusive", guard.toString(), "make", "WHAT=" + targets)
                .withDirectory(tree.resolve(".go/src/k8s.io/kubernetes"))
                .withEnvironment("PATH", goPrograms + ":/usr/sbin:/usr/bin:/sbin:/bin")
                .withEnvironment("HOME", work.resolve("home").toString())
                .withEnvironment("TMPDIR", work.resolve("tmp").toString())
                .withEnvironment("GOPATH", tree.resolve(".go").toString())
                .withEnvironment("GOPROXY", "off")
                .withEnvironment("GOTOOLCHAIN", "local")
                .withEnvironment("GOFLAGS", "-v")
                .withEnvironment("CGO_ENABLED", "0")
                .withEnvironment("LC_ALL", "C.UTF-8")
                .withEnvironment("SOURCE_DATE_EPOCH", sourceDate(tree))
                .withEnvironment("KUBE_GIT_VERSION", "v" + version.kubernetes())
                .withEnvironment("KUBE_GIT_COMMIT", "debian")
                .withEnvironment("KUBE_GIT_TREE_STATE", "clean")
                .withEnvironment("KUBE_GIT_MAJOR", Integer.toString(version.major()))
                .withEnvironment("KUBE_GIT_MINOR", Integer.toString(version.minor()))
                .withTimeout(TIMEOUT);
    }

    /** The date of the package's last change goes into the binaries, so that two builds do not differ by it. */
    private String sourceDate(Path tree) {
        return processes
                .run(Command.of("dpkg-parsechangelog", "--show-field", "Timestamp")
                        .withDirectory(tree))
                .orThrow()
                .strip();
    }

    private static ProblemException failed(Result result, BuildProgress lines) {
        String said = String.join(" | ", lines.lastLines());
        return ProblemException.of(
                ErrorCode.PROCESS_FAILED,
                "build of Debian's kubernetes source package",
                "exit code " + result.exitCode() + " after " + lines.elapsed() + ": " + said,
                "",
                "run it again; it begins anew");
    }

    private void compilePause(Path tree, SourceVersion version, Path destination) {
        Path built = work.resolve("pause");
        processes
                .run(Command.of(
                                "gcc",
                                "-Os",
                                "-Wall",
                                "-static",
                                "-s",
                                "-DVERSION=v" + version.kubernetes(),
                                "-o",
                                built.toString(),
                                tree.resolve("build/pause/linux/pause.c").toString())
                        .withEnvironment("TMPDIR", work.resolve("tmp").toString()))
                .orThrow();
        disk.copy(built, destination.resolve(Binary.PAUSE.fileName()), "rwxr-xr-x");
    }
}
