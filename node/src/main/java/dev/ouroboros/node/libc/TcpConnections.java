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
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * TCP connections of this process's network namespace, whoever has them, by sock_diag(7). Structures are those of linux/netlink.h and
 * linux/inet_diag.h.
 */
public final class TcpConnections {
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int IPPROTO_TCP = 6;

    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short SOCK_DESTROY = 21;
    private static final short NLMSG_ERROR = 2;
    private static final short NLMSG_DONE = 3;
    private static final short NLM_F_REQUEST = 1;
    private static final short NLM_F_ACK = 4;
    private static final short NLM_F_DUMP = 0x300;

    /** TCP_ESTABLISHED, TCP_FIN_WAIT1 and TCP_CLOSE_WAIT: those that wait for somebody. Who only connects tries again by itself. */
    private static final int STATES = 1 << 1 | 1 << 4 | 1 << 8;

    private static final int HEADER = 16;
    private static final int SOCKET_ID = 48;
    private static final int REQUEST = HEADER + 8 + SOCKET_ID;
    /** Of the address of the other end, in a socket's id. */
    private static final int DESTINATION = 20;

    private static final int BUFFER = 32 << 10;
    /** ENOENT: the connection ended by itself meanwhile. */
    private static final int GONE = 2;

    private static final StructLayout ERROR_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = ERROR_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final MethodHandle socket;
    private final MethodHandle send;
    private final MethodHandle receive;
    private final Libc libc = new Libc();

    @SuppressWarnings("restricted")
    public TcpConnections() {
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

    /**
     * Ends every connection to an address: whoever waits for an answer there gets an error at once.
     *
     * @return how many there were
     * @throws SystemCallFailed when the kernel refuses, as one without CONFIG_INET_DIAG_DESTROY does, or a process without CAP_NET_ADMIN is
     *     refused
     */
    public int endAllTo(InetSocketAddress remote) throws SystemCallFailed {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = arena.allocate(ERROR_LAYOUT);
            int opened = (int) socket.invokeExact(error, AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
            check("socket", opened, error);
            try {
                Netlink netlink = new Netlink(opened, arena.allocate(BUFFER), error);
                boolean ipv6 = remote.getAddress() instanceof Inet6Address;
                byte[] address = remote.getAddress().getAddress();
                // A socket of IPv6 may be connected with an address of IPv4, as Java's are.
                return endAll(netlink, AF_INET6, ipv6 ? address : mapped(address), remote.getPort())
                        + (ipv6 ? 0 : endAll(netlink, AF_INET, address, remote.getPort()));
            } finally {
                libc.close(opened);
            }
        } catch (SystemCallFailed e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("calling the C library", e);
        }
    }

    /** RFC 4291, section 2.5.5.2. */
    private static byte[] mapped(byte[] ipv4) {
        byte[] address = new byte[16];
        address[10] = (byte) 0xff;
        address[11] = (byte) 0xff;
        System.arraycopy(ipv4, 0, address, 12, ipv4.length);
        return address;
    }

    private static int endAll(Netlink netlink, byte family, byte[] address, int port) throws Throwable {
        int ended = 0;
        for (byte[] connection : connectionsTo(netlink, family, address, port)) {
            ended += end(netlink, family, connection) ? 1 : 0;
        }
        return ended;
    }

    /** The ids of the sockets that are connected with it. */
    private static List<byte[]> connectionsTo(Netlink netlink, byte family, byte[] wanted, int port) throws Throwable {
        ByteBuffer request = request(SOCK_DIAG_BY_FAMILY, (short) (NLM_F_REQUEST | NLM_F_DUMP), family);
        request.putShort(HEADER + 8 + 2, networkOrder((short) port));
        netlink.send(request);
        List<byte[]> found = new ArrayList<>();
        while (true) {
            ByteBuffer answer = netlink.receive();
            while (answer.remaining() >= HEADER) {
                int start = answer.position();
                int length = answer.getInt(start);
                short type = answer.getShort(start + 4);
                if (type == NLMSG_DONE) {
                    return found;
                }
                if (type == NLMSG_ERROR) {
                    throw new SystemCallFailed("sock_diag: errno " + -answer.getInt(start + HEADER));
                }
                byte[] id = new byte[SOCKET_ID];
                answer.get(start + HEADER + 4, id);
                if (Arrays.equals(wanted, Arrays.copyOfRange(id, DESTINATION, DESTINATION + wanted.length))) {
                    found.add(id);
                }
                answer.position(Math.min(answer.limit(), start + (length + 3) / 4 * 4));
            }
        }
    }

    private static short networkOrder(short port) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? port : Short.reverseBytes(port);
    }

    private static boolean end(Netlink netlink, byte family, byte[] id) throws Throwable {
        ByteBuffer request = request(SOCK_DESTROY, (short) (NLM_F_REQUEST | NLM_F_ACK), family);
        request.put(HEADER + 8, id);
        netlink.send(request);
        int code = -netlink.receive().getInt(HEADER);
        if (code != 0 && code != GONE) {
            throw new SystemCallFailed("sock_diag SOCK_DESTROY: errno " + code);
        }
        return code == 0;
    }

    private static ByteBuffer request(short type, short flags, byte family) {
        return ByteBuffer.allocate(REQUEST)
                .order(ByteOrder.nativeOrder())
                .putInt(0, REQUEST)
                .putShort(4, type)
                .putShort(6, flags)
                .put(HEADER, family)
                .put(HEADER + 1, (byte) IPPROTO_TCP)
                .putInt(HEADER + 4, STATES);
    }

    private static void check(String call, int result, MemorySegment error) throws SystemCallFailed {
        if (result < 0) {
            throw new SystemCallFailed(call + ": errno " + (int) ERROR.get(error, 0L));
        }
    }

    /** One socket of netlink, and where it puts what it reads. */
    private final class Netlink {
        private final int file;
        private final MemorySegment buffer;
        private final MemorySegment error;

        Netlink(int file, MemorySegment buffer, MemorySegment error) {
            this.file = file;
            this.buffer = buffer;
            this.error = error;
        }

        void send(ByteBuffer message) throws Throwable {
            buffer.asByteBuffer().put(message.duplicate().clear());
            long sent = (long) send.invokeExact(error, file, buffer, (long) message.capacity(), 0);
            check("send", (int) sent, error);
        }

        ByteBuffer receive() throws Throwable {
            long received = (long) receive.invokeExact(error, file, buffer, (long) BUFFER, 0);
            check("recv", (int) received, error);
            return buffer.asSlice(0, received).asByteBuffer().order(ByteOrder.nativeOrder());
        }
    }
}
