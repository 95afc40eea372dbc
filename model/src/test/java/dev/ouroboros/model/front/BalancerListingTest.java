package dev.ouroboros.model.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class BalancerListingTest {
    private static String installed(Stream<String> without) {
        List<String> left = without.toList();
        Stream<String> chains = BalancerTable.chains().stream().map("{\"chain\": {\"name\": \"%s\"}}"::formatted);
        Stream<String> rules = BalancerTable.chains().stream()
                .flatMap(chain -> BalancerTable.comments(chain).stream()
                        .filter(comment -> !left.contains(comment))
                        .map(comment ->
                                "{\"rule\": {\"chain\": \"%s\", \"comment\": \"%s\"}}".formatted(chain, comment)));
        return Stream.concat(chains, rules).collect(Collectors.joining(",", "{\"nftables\": [", "]}"));
    }

    @Test
    void isInstalledWhenEachRuleIsThere() {
        assertThat(BalancerListing.read(installed(Stream.of()))).isEqualTo(new BalancerState.Installed());
    }

    @Test
    void isDamagedWithoutOneOfThem() {
        String first = BalancerTable.comments(BalancerRules.OUTPUT).getFirst();

        assertThat(BalancerListing.read(installed(Stream.of(first))))
                .isEqualTo(new BalancerState.Damaged("the rules of chain output are not those of this balancer"));
    }

    @Test
    void isSomebodyElsesWithoutOurMark() {
        assertThat(BalancerListing.read("{\"nftables\": [{\"chain\": {\"name\": \"output\"}}]}"))
                .isInstanceOf(BalancerState.Foreign.class);
    }

    @Test
    void isUnknownWhenTheListIsNone() {
        assertThat(BalancerListing.read("oops")).isInstanceOf(BalancerState.Unknown.class);
    }
}
