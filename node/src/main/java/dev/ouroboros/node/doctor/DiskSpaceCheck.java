package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Whether the file systems that a node writes to take writes, and how much more. Each may be one of its own. Writes a block to each and
 * removes it: a disk with errors is read-only for the kernel, whatever the mount's options say.
 */
final class DiskSpaceCheck implements Check {
    private static final String CHECK = "disk space";
    private static final int BLOCK = 4096;

    private final Processes processes;
    private final List<Path> places;

    /** @param places directories that are written to; of one that is missing the nearest parent counts */
    DiskSpaceCheck(Processes processes, List<Path> places) {
        this.processes = processes;
        this.places = List.copyOf(places);
    }

    @Override
    public List<Finding> run() {
        Map<String, List<Path>> placesOfMounts = new LinkedHashMap<>();
        Map<String, FileSystemSpace> mounts = new LinkedHashMap<>();
        List<Finding> findings = new ArrayList<>();
        for (Path place : places) {
            Path directory = existing(place);
            Optional<FileSystemSpace> space = measure(directory);
            if (space.isEmpty()) {
                findings.add(Finding.unknown(CHECK, "df does not say how much is free at " + directory));
                continue;
            }
            String mount = space.get().mount();
            mounts.put(mount, space.get());
            placesOfMounts.computeIfAbsent(mount, _ -> new ArrayList<>()).add(place);
        }
        mounts.forEach((mount, space) -> findings.add(judge(space, placesOfMounts.getOrDefault(mount, List.of()))));
        return List.copyOf(findings);
    }

    static Finding judge(FileSystemSpace space, List<Path> places) {
        String evidence = space + ", for " + places.stream().map(Path::toString).collect(Collectors.joining(", "));
        Path directory = existing(places.getFirst());
        try {
            write(directory);
        } catch (AccessDeniedException e) {
            return Finding.unknown(CHECK, directory + " cannot be written by this user: " + evidence);
        } catch (IOException e) {
            // A full one refuses too; that is no reason to look for a broken disk.
            return space.isFull()
                    ? Ailment.DISK_IS_FULL.seen(evidence)
                    : Ailment.DISK_TAKES_NO_WRITES.seen(directory + ": " + reason(e) + "; " + evidence);
        }
        if (space.isFull()) {
            return Ailment.DISK_IS_FULL.seen(evidence);
        }
        return space.isFilling(places) ? Ailment.DISK_FILLS.seen(evidence) : Finding.ok(CHECK, evidence);
    }

    private static String reason(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        return message.substring(message.lastIndexOf(": ") + 1).strip();
    }

    private static void write(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, ".ouro-doctor-", "");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            channel.write(ByteBuffer.allocate(BLOCK));
            channel.force(false);
        }
    }

    private Optional<FileSystemSpace> measure(Path directory) {
        Result result = processes.run(
                Command.of("df", "--block-size=1", "--output=size,avail,itotal,iavail,target", directory.toString()));
        return result.succeeded() ? FileSystemSpace.parse(result.output()) : Optional.empty();
    }

    private static Path existing(Path place) {
        Path directory = place.toAbsolutePath();
        while (!Files.isDirectory(directory) && directory.getParent() != null) {
            directory = directory.getParent();
        }
        return directory;
    }
}
