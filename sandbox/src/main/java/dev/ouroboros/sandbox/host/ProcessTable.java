package dev.ouroboros.sandbox.host;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What /proc says about processes. */
public final class ProcessTable {
    private static final Path PROC = Path.of("/proc");
    /** The bit of signal 9. */
    private static final long SIGKILL = 1L << 8;

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

    /** Name of the program and process id, for messages. */
    public String describe(long pid) {
        String name = status(pid).get("Name");
        return name == null ? "process " + pid : name + " (" + pid + ")";
    }

    /** The lines {@code name: value} of the process's status; none when it has ended. */
    private static Map<String, String> status(long pid) {
        Path file = PROC.resolve(Long.toString(pid)).resolve("status");
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split(":", 2))
                    .filter(parts -> parts.length == 2)
                    .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1].strip(), (one, _) -> one));
        } catch (IOException e) {
            if (!ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
                return Map.of();
            }
            throw new ProblemException(new Problem(ErrorCode.DISK, file.toString(), "cannot be read: " + e, "", ""), e);
        }
    }
}
