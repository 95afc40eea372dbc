package dev.ouroboros.node.libc;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Established TCP connections of this process's network namespace, whichever process has them, by sock_diag(7). Structures are those of
 * linux/inet_diag.h.
 */
public final class TcpConnections {
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int IPPROTO_TCP = 6;

    private static final short SOCK_DIAG_BY_FAMILY = 20;
    private static final short SOCK_DESTROY = 21;

    private static final int ESTABLISHED = 1 << 1;

    /**
     * TCP_ESTABLISHED, TCP_FIN_WAIT1 and TCP_CLOSE_WAIT: connections on which somebody may wait for an answer. One that is only being opened is tried
     * again by itself.
     */
    private static final int WAITING = ESTABLISHED | 1 << 4 | 1 << 8;

    private static final int SOCKET_ID = 48;
    private static final int REQUEST = Netlink.HEADER + 8 + SOCKET_ID;
    /** In a socket's id: the ports and addresses of its two ends. */
    private static final int SOURCE_PORT = 0;

    private static final int DESTINATION_PORT = 2;
    private static final int SOURCE = 4;
    private static final int DESTINATION = 20;
    /** Where the inode is in the kernel's message: behind four bytes, the socket's id, and four numbers. */
    private static final int INODE = 4 + SOCKET_ID + 4 * 4;

    /** ENOENT: the connection ended by itself meanwhile. */
    private static final int GONE = 2;

    private final Netlink netlink = new Netlink(NETLINK_SOCK_DIAG, "sock_diag");

    /**
     * Ends every connection to an address: a process that waits for an answer there gets an error at once.
     *
     * @return how many there were
     * @throws SystemCallFailed when the kernel refuses: it was built without CONFIG_INET_DIAG_DESTROY, or the process lacks CAP_NET_ADMIN
     */
    public int endAllTo(InetSocketAddress remote) throws SystemCallFailed {
        boolean ipv6 = remote.getAddress() instanceof Inet6Address;
        byte[] address = remote.getAddress().getAddress();
        // Java's IPv6 sockets may be connected to an IPv4 address.
        return netlink.exchange(
                connection -> endAll(connection, AF_INET6, ipv6 ? address : mapped(address), remote.getPort())
                        + (ipv6 ? 0 : endAll(connection, AF_INET, address, remote.getPort())));
    }

    /**
     * The remote ends of all established connections that servers of this network namespace accepted at a port.
     *
     * @throws SystemCallFailed when the kernel refuses
     */
    public List<InetSocketAddress> acceptedAt(int port) throws SystemCallFailed {
        List<InetSocketAddress> clients = new ArrayList<>();
        established(
                SOURCE_PORT,
                port,
                (family, message) -> clients.add(end(message, family, DESTINATION_PORT, DESTINATION)));
        return clients;
    }

    /**
     * The local ends of all established connections to a port, of any host, each with the inode number of its socket, by which procfs tells its
     * process.
     *
     * @throws SystemCallFailed when the kernel refuses
     */
    public Map<InetSocketAddress, Long> connectedTo(int port) throws SystemCallFailed {
        Map<InetSocketAddress, Long> ours = new HashMap<>();
        established(
                DESTINATION_PORT,
                port,
                (family, message) -> ours.put(
                        end(message, family, SOURCE_PORT, SOURCE),
                        Integer.toUnsignedLong(message.getInt(Netlink.HEADER + INODE))));
        return ours;
    }

    /** A message of the kernel's from its head on. */
    private interface Established {
        void socket(byte family, ByteBuffer message);
    }

    private void established(int side, int port, Established established) throws SystemCallFailed {
        netlink.exchange(connection -> {
            for (byte family : List.of(AF_INET, AF_INET6)) {
                ByteBuffer request = request(SOCK_DIAG_BY_FAMILY, Netlink.DUMP, family, ESTABLISHED);
                request.putShort(Netlink.HEADER + 8 + side, networkOrder((short) port));
                connection.list(
                        request,
                        (messages, begin, end) -> established.socket(
                                family, messages.slice(begin, end - begin).order(messages.order())));
            }
            return port;
        });
    }

    /** One end of a socket: where its port and its address are in the socket's id. */
    private static InetSocketAddress end(ByteBuffer message, byte family, int port, int address) {
        int id = Netlink.HEADER + 4;
        byte[] bytes = new byte[family == AF_INET ? 4 : 16];
        message.get(id + address, bytes);
        try {
            // An IPv4-mapped address becomes an IPv4 address.
            return new InetSocketAddress(
                    InetAddress.getByAddress(bytes), Short.toUnsignedInt(networkOrder(message.getShort(id + port))));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }

    /** The IPv4-mapped address (RFC 4291, section 2.5.5.2). */
    private static byte[] mapped(byte[] ipv4) {
        byte[] address = new byte[16];
        address[10] = (byte) 0xff;
        address[11] = (byte) 0xff;
        System.arraycopy(ipv4, 0, address, 12, ipv4.length);
        return address;
    }

    private static int endAll(Netlink.Connection kernel, byte family, byte[] address, int port)
            throws SystemCallFailed {
        int ended = 0;
        for (byte[] connection : connectionsTo(kernel, family, address, port)) {
            ended += end(kernel, family, connection) ? 1 : 0;
        }
        return ended;
    }

    /** The ids of the sockets that are connected with it. */
    private static List<byte[]> connectionsTo(Netlink.Connection kernel, byte family, byte[] wanted, int port)
            throws SystemCallFailed {
        ByteBuffer request = request(SOCK_DIAG_BY_FAMILY, Netlink.DUMP, family, WAITING);
        request.putShort(Netlink.HEADER + 8 + DESTINATION_PORT, networkOrder((short) port));
        return ids(kernel, request).stream()
                .filter(id -> Arrays.equals(wanted, Arrays.copyOfRange(id, DESTINATION, DESTINATION + wanted.length)))
                .toList();
    }

    private static List<byte[]> ids(Netlink.Connection kernel, ByteBuffer request) throws SystemCallFailed {
        List<byte[]> found = new ArrayList<>();
        kernel.list(request, (messages, begin, _) -> {
            byte[] id = new byte[SOCKET_ID];
            messages.get(begin + Netlink.HEADER + 4, id);
            found.add(id);
        });
        return found;
    }

    private static short networkOrder(short port) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? port : Short.reverseBytes(port);
    }

    private static boolean end(Netlink.Connection kernel, byte family, byte[] id) throws SystemCallFailed {
        ByteBuffer request = request(SOCK_DESTROY, Netlink.ACKNOWLEDGE, family, WAITING);
        request.put(Netlink.HEADER + 8, id);
        int code = kernel.change(request);
        if (code != 0 && code != GONE) {
            throw new SystemCallFailed("sock_diag SOCK_DESTROY: errno " + code);
        }
        return code == 0;
    }

    private static ByteBuffer request(short type, short flags, byte family, int states) {
        return Netlink.request(REQUEST, type, (short) (Netlink.REQUEST | flags), family)
                .put(Netlink.HEADER + 1, (byte) IPPROTO_TCP)
                .putInt(Netlink.HEADER + 4, states);
    }
}
