package dev.ouroboros.model.front;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class NftListingTest {
    @Test
    void findsATableAmongOthers() {
        assertThat(NftListing.parse("""
                {"nftables": [{"metainfo": {}}, {"table": {"family": "inet", "name": "ouroboros", "handle": 1}}]}""").names("inet", "ouroboros")).isTrue();
        assertThat(NftListing.parse("""
                {"nftables": [{"table": {"family": "ip", "name": "ouroboros"}}, {"table": {"family": "inet", "name": "x"}}]}""").names("inet", "ouroboros")).isFalse();
    }

    @Test
    void isAListOfObjects() {
        assertThatThrownBy(() -> NftListing.parse("{}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NftListing.parse("no JSON")).isInstanceOf(IllegalArgumentException.class);
    }
}
