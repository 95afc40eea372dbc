package dev.ouroboros.node.namespace;

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

/** The calls that move the calling thread between network namespaces: open(2), setns(2), unshare(2), gettid(2). */
final class Libc {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final StructLayout ERROR_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = ERROR_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle open;
    private final MethodHandle setns;
    private final MethodHandle unshare;
    private final MethodHandle close;
    private final MethodHandle gettid;

    @SuppressWarnings("restricted")
    Libc() {
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
    }

    /** The calling thread joins the network namespace that a file names. */
    void enter(Path namespace) throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            int file = (int) open.invokeExact(error, arena.allocateFrom(namespace.toString()), O_RDONLY_CLOEXEC);
            check("open", file, error);
            int entered = (int) setns.invokeExact(error, file, CLONE_NEWNET);
            int _ = (int) close.invokeExact(file);
            check("setns", entered, error);
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** The calling thread moves into a new network namespace of its own. */
    void leaveForNew() throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            check("unshare", (int) unshare.invokeExact(error, CLONE_NEWNET), error);
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** The namespace of the calling thread as a file that other processes can open too. */
    Path ownNamespace() {
        try {
            int thread = (int) gettid.invokeExact();
            return Path.of("/proc/" + ProcessHandle.current().pid() + "/task/" + thread + "/ns/net");
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    private static void check(String call, int result, MemorySegment error) throws SystemCallFailed {
        if (result < 0) {
            throw new SystemCallFailed(call + ": errno " + (int) ERROR.get(error, 0L));
        }
    }

    /** A system call refused; the message names it and the error number. */
    static final class SystemCallFailed extends Exception {
        private static final long serialVersionUID = 1L;

        SystemCallFailed(String message) {
            super(message);
        }
    }
}
