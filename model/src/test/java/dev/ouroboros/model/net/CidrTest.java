package dev.ouroboros.model.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.longs;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

class CidrTest {
    private static final Gen<Cidr> BLOCKS =
            integers().between(1, 32).zip(longs().between(0, 0xffffffffL), (prefix, bits) -> block(bits, prefix));

    @Test
    void parsesWhatItWrites() {
        qt().forAll(BLOCKS).check(block -> Cidr.parse(block.toString()).equals(block));
    }

    @Test
    void overlapsExactlyWhenOneHoldsTheOthersFirstAddress() {
        qt().forAll(BLOCKS, BLOCKS)
                .check((one, other) -> one.overlaps(other) == other.overlaps(one)
                        && one.overlaps(other) == numericallyOverlap(one, other));
    }

    @Test
    void holdsEveryAddressItCounts() {
        qt().forAll(BLOCKS, longs().between(0, 0xffffffffL)).check((block, number) -> {
            long size = 1L << block.hostBits();
            return number < size ? block.contains(block.at(number)) : refuses(block, number);
        });
    }

    @Test
    void holdsAddressesOfItsFamilyOnly() {
        assertThat(Cidr.parse("0.0.0.0/0").contains(InetAddress.ofLiteral("::1")))
                .isFalse();
        assertThat(Cidr.parse("fd00::/8").contains(InetAddress.ofLiteral("fd12::1")))
                .isTrue();
        assertThat(Cidr.parse("fd00:1::/112").at(10).getHostAddress()).isEqualTo("fd00:1:0:0:0:0:0:a");
    }

    @Test
    void takesForAnAddressWhatKubernetesTakesForOne() {
        for (String literal : List.of("10.3.0.1", "fd00::1", "::ffff:10.3.0.1", "0.0.0.0")) {
            assertThat(Cidr.address(literal)).as(literal).isPresent();
        }
        for (String other : List.of(
                "10.3.1", "10", "010.3.0.1", "10.3.0.256", "0x0a.3.0.1", "localhost", "[fd00::1]", "fe80::1%lo", "")) {
            assertThat(Cidr.address(other)).as(other).isEmpty();
        }
    }

    @Test
    void saysWhatIsExpectedInstead() {
        assertThatThrownBy(() -> Cidr.parse("10.3.0.1/24")).hasMessageContaining("10.3.0.0/24");
        assertThatThrownBy(() -> Cidr.parse("10.3.0.0")).hasMessageContaining("10.3.0.0/24");
        assertThatThrownBy(() -> Cidr.parse("10.3.0.0/33")).hasMessageContaining("0 to 32");
        assertThatThrownBy(() -> Cidr.parse("10.3.0/24")).hasMessageContaining("10.3.0.0/24");
        assertThatThrownBy(() -> Cidr.parse("example.org/24")).hasMessageContaining("block of addresses");
        assertThatThrownBy(() -> Cidr.parse("10.3.0.0/x")).hasMessageContaining("number");
    }

    private static boolean numericallyOverlap(Cidr one, Cidr other) {
        long oneFirst = number(one.network());
        long otherFirst = number(other.network());
        long oneEnd = oneFirst + (1L << one.hostBits());
        long otherEnd = otherFirst + (1L << other.hostBits());
        return oneFirst < otherEnd && otherFirst < oneEnd;
    }

    private static boolean refuses(Cidr block, long number) {
        try {
            block.at(number);
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    private static Cidr block(long bits, int prefix) {
        long first = bits >> (32 - prefix) << (32 - prefix);
        return new Cidr(address(first), prefix);
    }

    private static InetAddress address(long number) {
        return InetAddress.ofLiteral(
                (number >> 24 & 255) + "." + (number >> 16 & 255) + "." + (number >> 8 & 255) + "." + (number & 255));
    }

    private static long number(InetAddress address) {
        long number = 0;
        for (byte part : address.getAddress()) {
            number = (number << 8) | (part & 255);
        }
        return number;
    }
}
