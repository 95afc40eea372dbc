package dev.ouroboros.model.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class NodeCidrsTest {
    @Test
    void givesTheFirstBlockThatNoNodeHas() {
        NodeCidrs cidrs = parse("10.2.0.0/16", Optional.empty());

        assertThat(cidrs.next(List.of())).contains(List.of(Cidr.parse("10.2.0.0/24")));
        assertThat(cidrs.next(List.of(Cidr.parse("10.2.0.0/24"), Cidr.parse("10.2.2.0/24"))))
                .contains(List.of(Cidr.parse("10.2.1.0/24")));
    }

    @Test
    void givesOneOfEachFamily() {
        assertThat(parse("10.2.0.0/16,fd00:2::/48", Optional.empty()).next(List.of()))
                .contains(List.of(Cidr.parse("10.2.0.0/24"), Cidr.parse("fd00:2::/64")));
    }

    @Test
    void noTwoNodesEverOverlapAndTheEndIsSaid() {
        NodeCidrs cidrs = parse("10.2.0.0/20", Optional.of(24));
        List<Cidr> given = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Cidr next = cidrs.next(given).orElseThrow().getFirst();
            assertThat(given).noneMatch(next::overlaps);
            given.add(next);
        }
        assertThat(cidrs.next(given)).isEmpty();
    }

    @Test
    void anIpv6RangeIsDividedBehindTheReachOfALong() {
        NodeCidrs cidrs = parse("fd00::/16", Optional.of(32));
        assertThat(cidrs.next(List.of(Cidr.parse("fd00::/32")))).contains(List.of(Cidr.parse("fd00:1::/32")));
    }

    @Test
    void refusesWhatCannotBeDivided() {
        assertThatThrownBy(() -> parse("10.2.0.0/25", Optional.of(24))).hasMessageContaining("10.2.0.0/25");
        assertThatThrownBy(() -> parse("nonsense", Optional.empty())).hasMessageContaining("10.3.0.0/24");
    }

    @Test
    void eachFamilyHasAMaskOfItsOwn() {
        NodeCidrs cidrs =
                NodeCidrs.parse("10.2.0.0/16,fd00:2::/48", Optional.empty(), Optional.of(26), Optional.of(72));

        assertThat(cidrs.next(List.of()).orElseThrow())
                .extracting(Cidr::toString)
                .containsExactly("10.2.0.0/26", "fd00:2:0:0:0:0:0:0/72");
    }

    private static NodeCidrs parse(String ranges, Optional<Integer> maskSize) {
        return NodeCidrs.parse(ranges, maskSize, Optional.empty(), Optional.empty());
    }
}
