package dev.ouroboros.model.net;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * A block of addresses of one family, as in {@code 10.3.0.0/24}.
 *
 * @param network the first address; its host bits are zero
 * @param prefix how many leading bits the addresses share
 */
public record Cidr(InetAddress network, int prefix) {
    public Cidr {
        int bits = network.getAddress().length * 8;
        if (prefix < 0 || prefix > bits) {
            throw new IllegalArgumentException("a prefix from 0 to " + bits + ", not " + prefix);
        }
        BigInteger hostMask = BigInteger.ONE.shiftLeft(bits - prefix).subtract(BigInteger.ONE);
        if (number(network).and(hostMask).signum() != 0) {
            throw new IllegalArgumentException(
                    network.getHostAddress() + "/" + prefix + " has bits set behind its prefix");
        }
    }

    /**
     * The address a literal stands for; empty for a name or anything else. Never asks DNS. Java takes {@code 10.3.1} for 10.3.0.1, as
     * C does; Kubernetes (Go's net.ParseIP) takes it for nothing, as it does a part with a zero before it, brackets and a zone.
     */
    public static Optional<InetAddress> address(String literal) {
        try {
            InetAddress address = InetAddress.ofLiteral(literal);
            boolean isIpv6 = literal.indexOf(':') >= 0 && literal.indexOf('[') < 0 && literal.indexOf('%') < 0;
            return isIpv6 || address.getHostAddress().equals(literal) ? Optional.of(address) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Parses a block.
     *
     * @throws IllegalArgumentException with a message for people: what is expected instead
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("a block of addresses such as 10.3.0.0/24, not one address");
        }
        InetAddress base = address(text.substring(0, slash))
                .orElseThrow(() -> new IllegalArgumentException("a block of addresses such as 10.3.0.0/24"));
        int prefix;
        try {
            prefix = Integer.parseInt(text.substring(slash + 1));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("a number behind the slash, as in 10.3.0.0/24", e);
        }
        int bits = base.getAddress().length * 8;
        if (prefix < 0 || prefix > bits) {
            throw new IllegalArgumentException("a prefix from 0 to " + bits);
        }
        Cidr canonical = new Cidr(firstOf(base, prefix), prefix);
        if (!canonical.network.equals(base)) {
            throw new IllegalArgumentException(
                    "the first address of the block, as in " + canonical + " (bits behind the prefix are set)");
        }
        return canonical;
    }

    /** How many bits count the addresses of the block. */
    public int hostBits() {
        return bits() - prefix;
    }

    public boolean contains(InetAddress address) {
        return address.getAddress().length == network.getAddress().length
                && firstOf(address, prefix).equals(network);
    }

    public boolean overlaps(Cidr other) {
        return contains(other.network) || other.contains(network);
    }

    /**
     * The address {@code offset} behind the first.
     *
     * @throws IllegalArgumentException when the block ends before it
     */
    public InetAddress at(long offset) {
        InetAddress address = addressOf(number(network).add(BigInteger.valueOf(offset)), bits());
        if (offset < 0 || !contains(address)) {
            throw new IllegalArgumentException(this + " has no address number " + offset);
        }
        return address;
    }

    /** The first address of the subnet number {@code index} of those with {@code hostBits} bits each. */
    InetAddress at(int index, int hostBits) {
        return addressOf(number(network).add(BigInteger.valueOf(index).shiftLeft(hostBits)), bits());
    }

    private int bits() {
        return network.getAddress().length * 8;
    }

    private static InetAddress firstOf(InetAddress address, int prefix) {
        int bits = address.getAddress().length * 8;
        BigInteger number = number(address);
        return addressOf(number.shiftRight(bits - prefix).shiftLeft(bits - prefix), bits);
    }

    private static BigInteger number(InetAddress address) {
        return new BigInteger(1, address.getAddress());
    }

    private static InetAddress addressOf(BigInteger number, int bits) {
        byte[] bytes = new byte[bits / 8];
        byte[] magnitude = number.toByteArray();
        int copied = Math.min(magnitude.length, bytes.length);
        System.arraycopy(magnitude, magnitude.length - copied, bytes, bytes.length - copied, copied);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
        }
    }

    @Override
    public String toString() {
        return network.getHostAddress() + "/" + prefix;
    }
}
