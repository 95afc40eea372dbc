package dev.ouroboros.bench;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What {@code scripts/dist} packs, unpacked as a user does it, and started without the checkout's Java. */
final class PackedOuro {
    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final double MEGABYTE = 1e6;

    private final Path checkout;
    private final Path directory;
    private final Stopwatch stopwatch;
    private final Processes processes;
    private final Disk disk;

    /** @param directory an empty place for the archive and what is in it; made when it is needed */
    PackedOuro(Path checkout, Path directory, Stopwatch stopwatch, Processes processes, Disk disk) {
        this.checkout = checkout;
        this.directory = directory;
        this.stopwatch = stopwatch;
        this.processes = processes;
        this.disk = disk;
    }

    /** The archive is packed for the first run, and started anew for each. */
    Map<Metric, Double> measure() {
        Path packed = directory.resolve("packed");
        Path unpacked = directory.resolve("unpacked");
        if (!Files.isDirectory(unpacked)) {
            disk.createDirectories(unpacked, Disk.OWNER_ONLY_DIRECTORY);
            run(checkout.resolve("scripts/dist").toString(), packed.toString());
            run(
                    "tar",
                    "-C",
                    unpacked.toString(),
                    "-xzf",
                    only(packed, ".tar.gz").toString());
        }
        Path ouro = only(unpacked, "").resolve("ouro");
        Stopwatch.Lap lap =
                stopwatch.run(Command.of(ouro.toString(), "--version").withTimeout(LIMIT));
        lap.result().orThrow();
        return Map.of(
                Metric.ARCHIVE_SIZE, bytes(only(packed, ".tar.gz")) / MEGABYTE,
                Metric.ARCHIVE_UNPACKED, bytes(unpacked) / MEGABYTE,
                Metric.ARCHIVE_VERSION, lap.seconds());
    }

    private void run(String... command) {
        processes.run(Command.of(List.of(command)).withTimeout(LIMIT)).orThrow();
    }

    private static Path only(Path parent, String suffix) {
        try (Stream<Path> files = Files.list(parent)) {
            return files.filter(file -> file.getFileName().toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow(() -> ProblemException.of(
                            ErrorCode.NOT_FOUND,
                            parent.toString(),
                            "has no file *" + suffix,
                            "what scripts/dist packs",
                            "run scripts/dist by hand and read what it says"));
        } catch (IOException e) {
            throw new UncheckedIOException(parent.toString(), e);
        }
    }

    private static long bytes(Path tree) {
        try (Stream<Path> files = Files.walk(tree)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(tree.toString(), e);
        }
    }
}
