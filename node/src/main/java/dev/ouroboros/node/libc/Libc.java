package dev.ouroboros.node.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Functions of the C library: open(2) and close(2); setns(2), unshare(2) and gettid(2), which move the calling thread between network namespaces;
 * ioctl(2).
 */
public final class Libc {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    /** {@code _IOR('X', 125, __u32)}: FS_IOC_SHUTDOWN, of ext4, xfs and f2fs. */
    private static final long SHUTDOWN = 0x8004587dL;
    /** TIOCGWINSZ. */
    private static final long WINDOW_SIZE = 0x5413L;
    /** EXT4_GOING_FLAGS_NOLOGFLUSH: neither data nor the journal is written any more. */
    private static final int WITHOUT_LOG_FLUSH = 2;

    private static final StructLayout ERROR_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = ERROR_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle open;
    private final MethodHandle setns;
    private final MethodHandle unshare;
    private final MethodHandle close;
    private final MethodHandle gettid;
    private final MethodHandle ioctl;

    @SuppressWarnings("restricted")
    public Libc() {
        Linker linker = Linker.nativeLinker();
        Linker.Option error = Linker.Option.captureCallState("errno");
        Linker.Option variadic = Linker.Option.firstVariadicArg(2);
        open = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("open"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                error,
                variadic);
        setns = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setns"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                error);
        unshare = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("unshare"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                error);
        close = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("close"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        gettid = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("gettid"), FunctionDescriptor.of(ValueLayout.JAVA_INT));
        ioctl = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("ioctl"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                error,
                variadic);
    }

    /** The calling thread joins the network namespace that a file names. */
    public void enter(Path namespace) throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            int file = open(namespace, arena, error);
            int entered = (int) setns.invokeExact(error, file, CLONE_NEWNET);
            int _ = (int) close.invokeExact(file);
            check("setns", entered, error);
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** Moves the calling thread into a new network namespace of its own. */
    public void leaveForNew() throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            check("unshare", (int) unshare.invokeExact(error, CLONE_NEWNET), error);
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** Closes a descriptor, which must belong to no object of Java's. Linux frees it even if it answers with an error. */
    void close(int file) {
        try {
            int _ = (int) close.invokeExact(file);
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** The namespace of the calling thread as a file that other processes can open too. */
    public Path ownNamespace() {
        try {
            int thread = (int) gettid.invokeExact();
            return Path.of("/proc/" + ProcessHandle.current().pid() + "/task/" + thread + "/ns/net");
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** Stops the file system of this directory at once: what was not synced never reaches its device. */
    public void shutDownFileSystem(Path directory) throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            int file = open(directory, arena, error);
            MemorySegment flags = arena.allocateFrom(ValueLayout.JAVA_INT, WITHOUT_LOG_FLUSH);
            int shutDown = (int) ioctl.invokeExact(error, file, SHUTDOWN, flags);
            int _ = (int) close.invokeExact(file);
            check("ioctl FS_IOC_SHUTDOWN", shutDown, error);
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** The size of the terminal that a file descriptor leads to; empty when it leads to none. */
    public Optional<TerminalSize> terminalSize(int file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            // struct winsize of ioctl_tty(2): rows, columns, and two that are unused.
            MemorySegment size = arena.allocate(ValueLayout.JAVA_SHORT, 4);
            int found = (int) ioctl.invokeExact(error, file, WINDOW_SIZE, size);
            return found < 0
                    ? Optional.empty()
                    : Optional.of(new TerminalSize(
                            Short.toUnsignedInt(size.getAtIndex(ValueLayout.JAVA_SHORT, 0)),
                            Short.toUnsignedInt(size.getAtIndex(ValueLayout.JAVA_SHORT, 1))));
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    private int open(Path file, Arena arena, MemorySegment error) throws Throwable {
        int opened = (int) open.invokeExact(error, arena.allocateFrom(file.toString()), O_RDONLY_CLOEXEC);
        check("open", opened, error);
        return opened;
    }

    private static void check(String call, int result, MemorySegment error) throws SystemCallFailed {
        if (result < 0) {
            throw new SystemCallFailed(call + ": errno " + (int) ERROR.get(error, 0L));
        }
    }
}
