package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DatabaseQuotaTest {
    private static DatabaseQuota of(String value) {
        return DatabaseQuota.of(Optional.of(value)).orElseThrow();
    }

    @Test
    void whatIsNoNumberIsNone() {
        assertThat(DatabaseQuota.of(Optional.of("8GB"))).isEmpty();
        assertThat(DatabaseQuota.of(Optional.of(""))).isEmpty();
    }

    @Test
    void withoutAFlagAndWithZeroItIsEtcdsOwn() {
        assertThat(DatabaseQuota.of(Optional.empty()).flatMap(DatabaseQuota::bytes))
                .contains(2L << 30);
        assertThat(of("0").bytes()).contains(2L << 30);
    }

    @Test
    void lessThanZeroIsNone() {
        DatabaseQuota none = of("-1");
        assertThat(none.bytes()).isEmpty();
        assertThat(none.percent(100L << 30)).isEmpty();
    }

    @Test
    void percentAreCut() {
        DatabaseQuota quota = of("1000");
        assertThat(quota.percent(799)).hasValue(79);
        assertThat(quota.percent(800)).hasValue(80);
        assertThat(quota.percent(1500)).hasValue(150);
    }

    @Test
    void numbersAreReadAsGoReadsThem() {
        assertThat(of("4_000_000_000").bytes()).contains(4_000_000_000L);
        assertThat(of("0x80000000").bytes()).contains(1L << 31);
        assertThat(of("+5").bytes()).contains(5L);
    }
}
