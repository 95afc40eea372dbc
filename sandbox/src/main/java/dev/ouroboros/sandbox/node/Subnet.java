package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.net.Cidr;
import java.util.Collection;
import java.util.Optional;

/**
 * The IPv4 network between the host and the nodes of one sandbox: {@code 10.77.NUMBER.0/24}.
 *
 * @param number 0 to 255
 */
public record Subnet(int number) {
    public static final int PREFIX_LENGTH = 24;

    /** The last part of the address of a sandbox's first node. */
    public static final int FIRST_NODE = 2;
    /** The last part of the last address that a node may have. */
    public static final int LAST_NODE = 254;

    private static final String RANGE = "10.77.";
    /** All of them together. */
    public static final Cidr ALL = Cidr.parse(RANGE + "0.0/16");

    private static final int LAST = 255;

    public Subnet {
        if (number < 0 || number > LAST) {
            throw new IllegalArgumentException("no such subnet: " + number);
        }
    }

    /** The lowest subnet that shares no address with {@code used}; empty when all are taken. */
    public static Optional<Subnet> firstFree(Collection<Cidr> used) {
        for (int number = 0; number <= LAST; number++) {
            Subnet candidate = new Subnet(number);
            if (used.stream().noneMatch(candidate.network()::overlaps)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /** The subnet whose first node has this address. */
    public static Optional<Subnet> ofNode(String address) {
        for (int number = 0; number <= LAST; number++) {
            Subnet candidate = new Subnet(number);
            if (candidate.nodeAddress().equals(address)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    public Cidr network() {
        return Cidr.parse(RANGE + number + ".0/" + PREFIX_LENGTH);
    }

    public String hostAddress() {
        return RANGE + number + ".1";
    }

    /** Of the first node. */
    public String nodeAddress() {
        return nodeAddress(FIRST_NODE);
    }

    /** Of the node with this number. */
    public String nodeAddress(int node) {
        return RANGE + number + "." + node;
    }
}
