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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Asks the kernel by netlink(7), in this process's network namespace. Structures are those of linux/netlink.h. */
final class Netlink {
    static final short REQUEST = 1;
    static final short ACKNOWLEDGE = 4;
    static final short DUMP = 0x300;
    /** Length of a message's header: length, kind, flags, number, sender. */
    static final int HEADER = 16;

    private static final short ERROR_MESSAGE = 2;
    private static final short DONE = 3;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int BUFFER = 32 << 10;

    private static final StructLayout ERROR_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = ERROR_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle socket;
    private final MethodHandle send;
    private final MethodHandle receive;
    private final Libc libc = new Libc();
    private final int protocol;
    private final String name;

    /**
     * @param protocol as in NETLINK_ROUTE
     * @param name of it, for messages
     */
    @SuppressWarnings("restricted")
    Netlink(int protocol, String name) {
        this.protocol = protocol;
        this.name = name;
        Linker linker = Linker.nativeLinker();
        Linker.Option error = Linker.Option.captureCallState("errno");
        socket = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("socket"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                error);
        FunctionDescriptor transfer = FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT);
        send = linker.downcallHandle(linker.defaultLookup().findOrThrow("send"), transfer, error);
        receive = linker.downcallHandle(linker.defaultLookup().findOrThrow("recv"), transfer, error);
    }

    /** What is done with one socket. */
    interface Exchange<T> {
        T with(Connection connection) throws SystemCallFailed;
    }

    /** Is told each object of a list: where its message begins, and where it ends. */
    interface Listed {
        void message(ByteBuffer messages, int begin, int end);
    }

    /** Opens a socket for the time of an exchange. */
    <T> T exchange(Exchange<T> work) throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            int opened = (int) call(
                    "socket", error, () -> (int) socket.invokeExact(error, AF_NETLINK, SOCK_RAW_CLOEXEC, protocol));
            try {
                return work.with(new Connection(opened, arena.allocate(BUFFER), error));
            } finally {
                libc.close(opened);
            }
        }
    }

    /** A message with its header and without its content, of which only the first byte, the address family, is set. */
    static ByteBuffer request(int length, short kind, short flags, byte family) {
        return ByteBuffer.allocate(length)
                .order(ByteOrder.nativeOrder())
                .putInt(0, length)
                .putShort(4, kind)
                .putShort(6, flags)
                .put(HEADER, family);
    }

    /** The next multiple of four: messages and attributes begin at such offsets. */
    static int aligned(int length) {
        return (length + 3) / 4 * 4;
    }

    private interface Call {
        long make() throws Throwable;
    }

    private static long call(String function, MemorySegment error, Call call) throws SystemCallFailed {
        long result;
        try {
            result = call.make();
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
        if (result < 0) {
            throw new SystemCallFailed(function + ": errno " + (int) ERROR.get(error, 0L));
        }
        return result;
    }

    /** One socket, and where it puts what it reads. */
    final class Connection {
        private final int file;
        private final MemorySegment buffer;
        private final MemorySegment error;

        private Connection(int file, MemorySegment buffer, MemorySegment error) {
            this.file = file;
            this.buffer = buffer;
            this.error = error;
        }

        /** Asks for a list. */
        void list(ByteBuffer request, Listed listed) throws SystemCallFailed {
            send(request);
            while (true) {
                ByteBuffer answer = receive();
                int begin = 0;
                while (answer.limit() - begin >= HEADER) {
                    int length = answer.getInt(begin);
                    short kind = answer.getShort(begin + 4);
                    if (kind == DONE) {
                        return;
                    }
                    if (kind == ERROR_MESSAGE) {
                        throw new SystemCallFailed(name + ": errno " + -answer.getInt(begin + HEADER));
                    }
                    listed.message(answer, begin, begin + length);
                    begin += aligned(length);
                }
            }
        }

        /**
         * Sends a request that changes something.
         *
         * @return 0, or the errno with which the kernel refused
         */
        int change(ByteBuffer request) throws SystemCallFailed {
            send(request);
            return -receive().getInt(HEADER);
        }

        private void send(ByteBuffer message) throws SystemCallFailed {
            buffer.asByteBuffer().put(message.duplicate().clear());
            call("send", error, () -> (long) send.invokeExact(error, file, buffer, (long) message.capacity(), 0));
        }

        private ByteBuffer receive() throws SystemCallFailed {
            long received =
                    call("recv", error, () -> (long) receive.invokeExact(error, file, buffer, (long) BUFFER, 0));
            return buffer.asSlice(0, received).asByteBuffer().order(ByteOrder.nativeOrder());
        }
    }
}
