package dev.ouroboros.sandbox.host;

import dev.ouroboros.model.problem.FileTrouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What /proc says about processes. */
public final class ProcessTable {
    /** The bit of signal 9. */
    private static final long SIGKILL = 1L << 8;

    private final Path proc;

    public ProcessTable() {
        this(Path.of("/proc"));
    }

    /** @param proc where the proc file system is mounted */
    ProcessTable(Path proc) {
        this.proc = proc;
    }

    /**
     * Whether this is the first process of a PID namespace directly below ours (not a helper, and no pod's process), and not one
     * that was killed and is about to end: its memory is gone, or SIGKILL waits for it.
     */
    public boolean isFirstOfNamespace(long pid) {
        Map<String, String> status = status(pid);
        List<String> numbers = List.of(status.getOrDefault("NSpid", "").split("\\s+", -1));
        long pending = Long.parseUnsignedLong(status.getOrDefault("SigPnd", "0"), 16)
                | Long.parseUnsignedLong(status.getOrDefault("ShdPnd", "0"), 16);
        return numbers.size() == 2
                && numbers.getLast().equals("1")
                && status.containsKey("VmSize")
                && (pending & SIGKILL) == 0;
    }

    /** Name of the program and process id, for messages; of one that has ended meanwhile a question mark. */
    public String describe(long pid) {
        return status(pid).getOrDefault("Name", "?") + " (" + pid + ")";
    }

    /** Processes that are in a directory, run from it or have a file of it open, described; what {@code fuser -m} tells. */
    public List<String> usersOf(Path directory) {
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .sorted()
                .filter(pid -> references(pid).anyMatch(file -> file.startsWith(directory)))
                .map(this::describe)
                .toList();
    }

    private Stream<Path> references(long pid) {
        Path process = proc.resolve(Long.toString(pid));
        return Stream.concat(
                Stream.of("cwd", "root", "exe").map(process::resolve).flatMap(ProcessTable::target),
                openFiles(process.resolve("fd")).stream().flatMap(ProcessTable::target));
    }

    private static List<Path> openFiles(Path descriptors) {
        try (Stream<Path> files = Files.list(descriptors)) {
            return files.toList();
        } catch (IOException e) {
            // It ended while we looked: then it uses nothing.
            return List.of();
        }
    }

    private static Stream<Path> target(Path link) {
        try {
            return Stream.of(Files.readSymbolicLink(link));
        } catch (IOException e) {
            // As above; a kernel thread has none either.
            return Stream.of();
        }
    }

    /** The lines {@code name: value} of the process's status; none when it has ended. */
    private Map<String, String> status(long pid) {
        Path file = proc.resolve(Long.toString(pid)).resolve("status");
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split(":", 2))
                    .filter(parts -> parts.length == 2)
                    .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1].strip(), (one, _) -> one));
        } catch (IOException e) {
            if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
                return Map.of();
            }
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }
}
