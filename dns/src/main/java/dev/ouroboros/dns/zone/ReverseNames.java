package dev.ouroboros.dns.zone;

import dev.ouroboros.model.net.Cidr;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import org.xbill.DNS.Name;

/** Addresses as names below in-addr.arpa and ip6.arpa. */
final class ReverseNames {
    private static final Name IPV4 = Name.fromConstantString("in-addr.arpa.");
    private static final Name IPV6 = Name.fromConstantString("ip6.arpa.");
    private static final int IPV4_BYTES = 4;
    private static final int NIBBLES = 32;

    private ReverseNames() {}

    /** The address that a whole reverse name stands for. */
    static Optional<InetAddress> address(Name name) {
        int labels = name.labels() - IPV4.labels();
        if (name.subdomain(IPV4) && labels == IPV4_BYTES) {
            return ipv4(name);
        }
        return name.subdomain(IPV6) && labels == NIBBLES ? ipv6(name) : Optional.empty();
    }

    private static Optional<InetAddress> ipv4(Name name) {
        StringBuilder literal = new StringBuilder(15);
        for (int label = IPV4_BYTES - 1; label >= 0; label--) {
            literal.append(name.getLabelString(label)).append(label == 0 ? "" : ".");
        }
        return Cidr.address(literal.toString());
    }

    private static Optional<InetAddress> ipv6(Name name) {
        byte[] bytes = new byte[NIBBLES / 2];
        for (int label = 0; label < NIBBLES; label++) {
            String text = name.getLabelString(label);
            int digit = text.length() == 1 ? Character.digit(text.charAt(0), 16) : -1;
            if (digit < 0) {
                return Optional.empty();
            }
            int place = NIBBLES - 1 - label;
            bytes[place / 2] |= (byte) (place % 2 == 0 ? digit << 4 : digit);
        }
        try {
            return Optional.of(InetAddress.getByAddress(bytes));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 16 bytes", e);
        }
    }

    /** The reverse zone that has all addresses of a block: the labels that are the same in each. */
    static Name zone(Cidr block) {
        byte[] address = block.network().getAddress();
        boolean ipv4 = address.length == IPV4_BYTES;
        StringBuilder zone = new StringBuilder();
        int whole = ipv4 ? block.prefix() / 8 : block.prefix() / 4;
        for (int label = whole - 1; label >= 0; label--) {
            int value = ipv4
                    ? address[label] & 0xff
                    : (label % 2 == 0 ? address[label / 2] >> 4 : address[label / 2]) & 0xf;
            zone.append(ipv4 ? Integer.toString(value) : Integer.toHexString(value))
                    .append('.');
        }
        return Name.fromConstantString(zone + (ipv4 ? IPV4 : IPV6).toString());
    }
}
