package dev.ouroboros.node.libc;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.GatewayRoute;
import dev.ouroboros.model.net.IpRoute;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The routes in the main table of this process's network namespace, by rtnetlink(7). Structures are those of linux/rtnetlink.h. */
public final class KernelRoutes implements RouteTable {
    private static final byte AF_INET = 2;
    private static final byte AF_INET6 = 10;
    private static final int NETLINK_ROUTE = 0;
    private static final short RTM_NEWROUTE = 24;
    private static final short RTM_DELROUTE = 25;
    private static final short RTM_GETROUTE = 26;
    private static final short CREATE = 0x400;
    private static final short EXCLUSIVE = 0x200;
    private static final byte RT_TABLE_MAIN = (byte) 254;
    private static final byte RTN_UNICAST = 1;
    private static final short RTA_DST = 1;
    private static final short RTA_GATEWAY = 5;

    /** Length of struct rtmsg; the attributes follow it. */
    private static final int BODY = 12;

    private static final int FIRST_ATTRIBUTE = Netlink.HEADER + BODY;
    private static final int ATTRIBUTE_HEADER = 4;
    /** ESRCH: the route is not there any more. */
    private static final int GONE = 3;
    /** EEXIST: there is a route to the same addresses. */
    private static final int TAKEN = 17;
    /** ENETUNREACH of IPv4 and EHOSTUNREACH of IPv6: the gateway is on none of this machine's networks. */
    private static final List<Integer> NOT_A_NEIGHBOUR = List.of(101, 113);

    /** Made by the first system call, so that its classes are loaded only where a route has to be changed. */
    private static final class Connection {
        private static final Netlink NETLINK = new Netlink(NETLINK_ROUTE, "rtnetlink");
    }

    @Override
    public Optional<List<GatewayRoute>> gateways() {
        return ProcRoutes.gateways();
    }

    @Override
    public List<IpRoute> list() throws SystemCallFailed {
        List<IpRoute> routes = new ArrayList<>();
        Connection.NETLINK.exchange(connection -> {
            for (byte family : new byte[] {AF_INET, AF_INET6}) {
                ByteBuffer request = Netlink.request(
                        FIRST_ATTRIBUTE, RTM_GETROUTE, (short) (Netlink.REQUEST | Netlink.DUMP), family);
                connection.list(
                        request,
                        (messages, begin, end) -> route(messages, begin, end).ifPresent(routes::add));
            }
            return routes;
        });
        return routes;
    }

    private static Optional<IpRoute> route(ByteBuffer messages, int begin, int end) {
        int body = begin + Netlink.HEADER;
        // Routes of every kind, also those that forbid a destination (blackhole, unreachable).
        if (messages.get(body + 4) != RT_TABLE_MAIN) {
            return Optional.empty();
        }
        boolean ipv6 = messages.get(body) == AF_INET6;
        int prefix = Byte.toUnsignedInt(messages.get(body + 1));
        InetAddress destination = address(new byte[ipv6 ? 16 : 4]);
        Optional<InetAddress> gateway = Optional.empty();
        int at = begin + FIRST_ATTRIBUTE;
        while (end - at >= ATTRIBUTE_HEADER) {
            int length = Short.toUnsignedInt(messages.getShort(at));
            short kind = messages.getShort(at + 2);
            if (kind == RTA_DST || kind == RTA_GATEWAY) {
                byte[] bytes = new byte[length - ATTRIBUTE_HEADER];
                messages.get(at + ATTRIBUTE_HEADER, bytes);
                if (kind == RTA_DST) {
                    destination = address(bytes);
                } else {
                    gateway = Optional.of(address(bytes));
                }
            }
            at += Netlink.aligned(Math.max(ATTRIBUTE_HEADER, length));
        }
        int protocol = Byte.toUnsignedInt(messages.get(body + 5));
        return Optional.of(new IpRoute(new Cidr(destination, prefix), gateway, protocol));
    }

    /** An IPv4-mapped address stays an IPv6 address; Java would make it an IPv4 one. */
    private static InetAddress address(byte[] bytes) {
        try {
            return bytes.length == 4 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress("", bytes, -1);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }

    @Override
    public Added add(IpRoute route) throws SystemCallFailed {
        int code = Connection.NETLINK.exchange(
                connection -> connection.change(request(route, RTM_NEWROUTE, (short) (CREATE | EXCLUSIVE))));
        if (code == TAKEN) {
            return Added.TAKEN;
        }
        if (NOT_A_NEIGHBOUR.contains(code)) {
            return Added.NOT_A_NEIGHBOUR;
        }
        if (code != 0) {
            throw new SystemCallFailed("rtnetlink RTM_NEWROUTE " + route + ": errno " + code);
        }
        return Added.ADDED;
    }

    @Override
    public void remove(IpRoute route) throws SystemCallFailed {
        int code =
                Connection.NETLINK.exchange(connection -> connection.change(request(route, RTM_DELROUTE, (short) 0)));
        if (code != 0 && code != GONE) {
            throw new SystemCallFailed("rtnetlink RTM_DELROUTE " + route + ": errno " + code);
        }
    }

    private static ByteBuffer request(IpRoute route, short kind, short flags) {
        byte[] destination = route.destination().network().getAddress();
        byte[] gateway = route.gateway().map(InetAddress::getAddress).orElse(new byte[0]);
        int length = FIRST_ATTRIBUTE + ATTRIBUTE_HEADER + destination.length;
        int all = length + (gateway.length == 0 ? 0 : ATTRIBUTE_HEADER + gateway.length);
        ByteBuffer request = Netlink.request(
                all,
                kind,
                (short) (Netlink.REQUEST | Netlink.ACKNOWLEDGE | flags),
                destination.length == 4 ? AF_INET : AF_INET6);
        request.put(Netlink.HEADER + 1, (byte) route.destination().prefix())
                .put(Netlink.HEADER + 4, RT_TABLE_MAIN)
                .put(Netlink.HEADER + 5, (byte) route.protocol())
                .put(Netlink.HEADER + 7, RTN_UNICAST);
        attribute(request, FIRST_ATTRIBUTE, RTA_DST, destination);
        if (gateway.length > 0) {
            attribute(request, length, RTA_GATEWAY, gateway);
        }
        return request;
    }

    private static void attribute(ByteBuffer request, int at, short kind, byte[] value) {
        request.putShort(at, (short) (ATTRIBUTE_HEADER + value.length))
                .putShort(at + 2, kind)
                .put(at + ATTRIBUTE_HEADER, value);
    }
}
