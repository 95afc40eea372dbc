package dev.ouroboros.sandbox.host;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An IPv4 network.
 *
 * @param address the first address, as an unsigned number
 * @param prefixLength 0 to 32
 */
public record Ipv4Network(long address, int prefixLength) {
    private static final int BITS = 32;
    private static final Pattern TEXT = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)(?:/(\\d+))?");

    public Ipv4Network {
        if (prefixLength < 0 || prefixLength > BITS || address < 0 || address > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("not an IPv4 network: " + address + "/" + prefixLength);
        }
        address &= mask(prefixLength);
    }

    /** Reads {@code 10.0.0.0/8} or {@code 10.0.0.1}; bits below the prefix are cleared. */
    public static Ipv4Network parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not an IPv4 network: " + text);
        }
        long address = 0;
        for (int group = 1; group <= 4; group++) {
            int octet = Integer.parseInt(matcher.group(group));
            if (octet > 255) {
                throw new IllegalArgumentException("not an IPv4 network: " + text);
            }
            address = address << 8 | octet;
        }
        return new Ipv4Network(address, matcher.group(5) == null ? BITS : Integer.parseInt(matcher.group(5)));
    }

    public boolean overlaps(Ipv4Network other) {
        long mask = mask(Math.min(prefixLength, other.prefixLength));
        return (address & mask) == (other.address & mask);
    }

    private static long mask(int length) {
        return 0xFFFF_FFFFL << (BITS - length) & 0xFFFF_FFFFL;
    }
}
