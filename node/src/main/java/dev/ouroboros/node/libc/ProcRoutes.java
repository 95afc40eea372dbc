package dev.ouroboros.node.libc;

import dev.ouroboros.model.net.Cidr;
import dev.ouroboros.model.net.GatewayRoute;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Routes as the kernel writes them for reading: proc_net(5), {@code fib_route_seq_show} of net/ipv4/fib_trie.c and {@code ipv6_route_native_seq_show} of net/ipv6/ip6_fib.c. */
final class ProcRoutes {
    /** Of this thread's network namespace. */
    private static final Path NET = Path.of("/proc/thread-self/net");

    /** RTF_GATEWAY of linux/route.h. */
    private static final int GATEWAY = 2;

    private ProcRoutes() {}

    /** Routes with a gateway, without the default routes; empty when the text cannot be read or understood. */
    static Optional<List<GatewayRoute>> gateways() {
        try {
            List<GatewayRoute> routes = new ArrayList<>();
            for (String line : Files.readAllLines(NET.resolve("route"))) {
                ipv4(line.strip().split("\\s+"), routes);
            }
            // A kernel without IPv6 has no such file.
            Path ipv6 = NET.resolve("ipv6_route");
            for (String line : Files.exists(ipv6) ? Files.readAllLines(ipv6) : List.<String>of()) {
                ipv6(line.strip().split("\\s+"), routes);
            }
            return Optional.of(routes);
        } catch (IOException | IllegalArgumentException e) {
            // The caller falls back to the system call.
            return Optional.empty();
        }
    }

    /** Interface, destination, gateway, flags, three counters, mask: numbers in the order of bytes of x86, the low one first. */
    static void ipv4(String[] words, List<GatewayRoute> into) throws UnknownHostException {
        if (words.length < 8 || words[0].equals("Iface") || (Integer.parseInt(words[3], 16) & GATEWAY) == 0) {
            return;
        }
        int prefix = Integer.bitCount(Integer.parseUnsignedInt(words[7], 16));
        if (prefix > 0) {
            into.add(new GatewayRoute(new Cidr(littleEndian(words[1]), prefix), littleEndian(words[2])));
        }
    }

    private static InetAddress littleEndian(String word) throws UnknownHostException {
        int number = Integer.reverseBytes(Integer.parseUnsignedInt(word, 16));
        return InetAddress.getByAddress(HexFormat.of().parseHex(HexFormat.of().toHexDigits(number)));
    }

    /** Destination, its prefix, source, its prefix, gateway: numbers in hexadecimal. */
    static void ipv6(String[] words, List<GatewayRoute> into) throws UnknownHostException {
        if (words.length < 10) {
            return;
        }
        int prefix = Integer.parseInt(words[1], 16);
        byte[] gateway = HexFormat.of().parseHex(words[4]);
        boolean isByGateway = (Integer.parseUnsignedInt(words[8], 16) & GATEWAY) != 0;
        if (prefix > 0 && isByGateway) {
            byte[] destination = HexFormat.of().parseHex(words[0]);
            into.add(new GatewayRoute(
                    new Cidr(Inet6Address.getByAddress("", destination, -1), prefix),
                    Inet6Address.getByAddress("", gateway, -1)));
        }
    }
}
