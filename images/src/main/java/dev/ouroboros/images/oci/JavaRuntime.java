package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A Java runtime with a few modules only, linked from the JDK that runs us; in the cache by that JDK's release and the modules. What
 * {@code scripts/dist} makes runs on a runtime that can link no other, and brings this one along.
 */
public final class JavaRuntime {
    /** All that the keeper's classes use; a test of the command line module compares. */
    public static final List<String> MODULES = List.of("java.base", "java.logging");

    private static final List<String> OPTIONS =
            List.of("--strip-debug", "--no-header-files", "--no-man-pages", "--compress=zip-6");
    /** Beside the runtime of the command line, in an archive of {@code scripts/dist}. */
    private static final String BROUGHT = "keeper-runtime";

    private static final Duration LINK_TIMEOUT = Duration.ofMinutes(5);
    private static final int KEY_LENGTH = 12;

    private final Processes processes;
    private final Disk disk;
    private final Path cache;
    private final Path jdk;

    /** @param jdk that runs us */
    public JavaRuntime(Processes processes, Disk disk, CacheDirectory cache, Path jdk) {
        this.processes = processes;
        this.disk = disk;
        this.cache = cache.runtimes();
        this.jdk = jdk;
    }

    /** For people: the JDK's version and vendor. */
    String origin() {
        return "JDK " + Runtime.version() + " of " + System.getProperty("java.vendor", "an unknown vendor");
    }

    /** Its root directory. */
    public Path resolve(Progress progress) {
        Path brought = jdk.resolveSibling(BROUGHT);
        if (Files.isDirectory(brought)) {
            return brought;
        }
        Path entry = cache.resolve("java-" + Runtime.version().feature() + "-" + key());
        if (Files.isDirectory(entry)) {
            return entry;
        }
        disk.createDirectories(cache, Disk.OWNER_ONLY_DIRECTORY);
        Runnable waiting = () -> progress.say("another ouro is linking a Java runtime: waiting for it to end");
        try (ExclusiveLock _ = ExclusiveLock.await(cache.resolve(".lock"), "linking of a Java runtime", waiting)) {
            if (!Files.isDirectory(entry)) {
                link(entry, progress);
            }
            return entry;
        }
    }

    private void link(Path entry, Progress progress) {
        Path work = cache.resolve(".work");
        disk.deleteTree(work);
        progress.say("linking a Java runtime of " + origin());
        List<String> command = new ArrayList<>(
                List.of(linker().toString(), "--add-modules", String.join(",", MODULES), "--output", work.toString()));
        command.addAll(OPTIONS);
        try {
            processes.run(Command.of(command).withTimeout(LINK_TIMEOUT)).orThrow();
            disk.rename(work, entry);
        } finally {
            disk.deleteTree(work);
        }
    }

    private Path linker() {
        Path linker = jdk.resolve("bin/jlink");
        if (!Files.isExecutable(linker)) {
            throw ProblemException.of(
                    ErrorCode.MISSING_TOOL,
                    jdk.toString(),
                    "has no jlink, which makes the Java runtime of the keeper's image",
                    "a JDK, not only a Java runtime",
                    "install the JDK's package with jlink (and, for OpenJDK of Debian, its jmods)");
        }
        return linker;
    }

    /** Programs of a linked runtime: name to file. */
    static SortedMap<String, Path> programs(Path runtime) {
        return files(runtime, Files::isExecutable);
    }

    /** Its other files. */
    static SortedMap<String, Path> data(Path runtime) {
        return files(runtime, file -> !Files.isExecutable(file));
    }

    private static SortedMap<String, Path> files(Path runtime, Predicate<Path> wanted) {
        SortedMap<String, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(runtime)) {
            all.filter(Files::isRegularFile)
                    .filter(wanted)
                    .forEach(file -> files.put(runtime.relativize(file).toString(), file));
        } catch (IOException e) {
            throw FileTrouble.of(runtime, "cannot be listed", e);
        }
        return files;
    }

    private String key() {
        String release = disk.readText(jdk.resolve("release")).orElse("");
        String all = String.join("\n", release, String.join(",", MODULES), String.join(" ", OPTIONS));
        return Sha256.hex(all).substring(0, KEY_LENGTH);
    }
}
