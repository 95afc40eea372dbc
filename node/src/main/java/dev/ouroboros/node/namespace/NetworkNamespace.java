package dev.ouroboros.node.namespace;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A network namespace by its file, for example {@code /run/netns/node}. Linux keeps the network namespace a thread, and a
 * socket belongs for ever to the namespace of the thread that made it (setns(2), network_namespaces(7)); so a platform thread
 * enters, makes its sockets and ends, while the rest of the process stays where it is.
 *
 * @param file the namespace file
 */
public record NetworkNamespace(Path file) {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int O_RDONLY_CLOEXEC = 0x80000;

    /** The namespace that {@code ip netns add} made. */
    public static NetworkNamespace named(String name) {
        return new NetworkNamespace(Path.of("/run/netns", name));
    }

    /** What a command must be put behind to run inside. */
    public List<String> prefix() {
        return List.of("nsenter", "--net=" + file);
    }

    /**
     * Runs work inside, on a platform thread of its own that ends with it. Work must make its sockets itself, not on a thread
     * that was there before.
     *
     * @throws ProblemException MISSING_PERMISSION when the namespace cannot be entered, TIMEOUT when interrupted
     * @throws ExecutionException with what the work threw
     */
    public <T> T call(Callable<T> work) throws ExecutionException {
        FutureTask<T> task = new FutureTask<>(() -> {
            enter();
            return work.call();
        });
        Thread thread = Thread.ofPlatform().daemon().name("inside " + file).start(task);
        try {
            return task.get();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw ProblemException.of(ErrorCode.TIMEOUT, file.toString(), "interrupted while inside", "", "");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof EntryRefused refused) {
                throw new ProblemException(
                        new Problem(
                                ErrorCode.MISSING_PERMISSION,
                                file.toString(),
                                "the network namespace cannot be entered: " + refused.getMessage(),
                                "an existing namespace and root",
                                ""),
                        refused);
            }
            throw e;
        }
    }

    private void enter() throws EntryRefused {
        try (Arena arena = Arena.ofConfined()) {
            Libc libc = Libc.load();
            MemorySegment errno = arena.allocate(Libc.ERRNO_LAYOUT);
            int descriptor = (int) libc.open.invokeExact(errno, arena.allocateFrom(file.toString()), O_RDONLY_CLOEXEC);
            if (descriptor < 0) {
                throw new EntryRefused("open: errno " + (int) Libc.ERRNO.get(errno, 0L));
            }
            int entered = (int) libc.setns.invokeExact(errno, descriptor, CLONE_NEWNET);
            int reason = (int) Libc.ERRNO.get(errno, 0L);
            int closed = (int) libc.close.invokeExact(descriptor);
            if (entered != 0 || closed != 0) {
                throw new EntryRefused("setns: errno " + reason);
            }
        } catch (EntryRefused e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    private static final class EntryRefused extends Exception {
        private static final long serialVersionUID = 1L;

        EntryRefused(String message) {
            super(message);
        }
    }

    /** open(2), setns(2) and close(2), the first two with the error number they leave. */
    private record Libc(MethodHandle open, MethodHandle setns, MethodHandle close) {
        static final StructLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
        static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

        @SuppressWarnings("restricted")
        static Libc load() {
            Linker linker = Linker.nativeLinker();
            Linker.Option capture = Linker.Option.captureCallState("errno");
            return new Libc(
                    linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("open"),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                            capture,
                            Linker.Option.firstVariadicArg(2)),
                    linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("setns"),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                            capture),
                    linker.downcallHandle(
                            linker.defaultLookup().findOrThrow("close"),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)));
        }
    }
}
