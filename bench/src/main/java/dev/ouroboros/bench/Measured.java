package dev.ouroboros.bench;

import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * Runs one command and writes its wall time and peak memory to a file, as {@code seconds mebibytes}; exits as the command did.
 * A process of its own, because the kernel keeps one high-water mark for all children of a process. The mark is that of the
 * largest single process among the descendants.
 */
final class Measured {
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final int RUSAGE_CHILDREN = -1;
    private static final long RUSAGE_SIZE = 144;
    /** Behind two {@code struct timeval}; the unit is KiB on Linux. */
    private static final long MAXRSS_OFFSET = 32;

    private Measured() {}

    public static void main(String[] arguments) {
        Command command = Command.of(Arrays.asList(arguments).subList(1, arguments.length))
                .withTimeout(LIMIT);
        long started = System.nanoTime();
        int exitCode = new LocalProcesses().attach(command);
        double seconds = (System.nanoTime() - started) / 1e9;
        String line = seconds + " " + peakKibibytes() / 1024.0;
        new LocalDisk().write(Path.of(arguments[0]), line.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
        System.exit(exitCode);
    }

    @SuppressWarnings("restricted") // The JDK has no other way to ask for the memory of an ended child.
    private static long peakKibibytes() {
        Linker linker = Linker.nativeLinker();
        MethodHandle getrusage = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("getrusage"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment usage = arena.allocate(RUSAGE_SIZE, Long.BYTES);
            int failed = (int) getrusage.invokeExact(RUSAGE_CHILDREN, usage);
            if (failed != 0) {
                throw new IllegalStateException("getrusage failed");
            }
            return usage.get(ValueLayout.JAVA_LONG, MAXRSS_OFFSET);
        } catch (Throwable e) {
            throw new IllegalStateException("getrusage", e);
        }
    }
}
