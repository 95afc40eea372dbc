package dev.ouroboros.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class WalSyncsTest {
    private static String bucket(String bound, long count) {
        return "etcd_disk_wal_fsync_duration_seconds_bucket{le=\"" + bound + "\"} " + count + "\n";
    }

    @Test
    void whatNinetyNineOfAHundredTookIsReadFromItsBucket() {
        String metrics = "# TYPE etcd_disk_wal_fsync_duration_seconds histogram\n"
                + bucket("0.001", 900)
                + bucket("0.002", 980)
                + bucket("0.004", 1000)
                + bucket("+Inf", 1000)
                + "etcd_disk_wal_fsync_duration_seconds_sum 0.7\n"
                + "etcd_disk_wal_fsync_duration_seconds_count 1000\n";
        assertThat(WalSyncs.in(metrics)).contains(new WalSyncs(1000, Duration.ofMillis(3)));
    }

    @Test
    void whatIsBeyondTheHighestBoundTookThatLongAtLeast() {
        String metrics = bucket("8.192", 10) + bucket("+Inf", 1_500_000);
        assertThat(WalSyncs.in(metrics)).contains(new WalSyncs(1_500_000, Duration.ofMillis(8192)));
        String asGoWritesLargeNumbers = """
                etcd_disk_wal_fsync_duration_seconds_bucket{le="8.192"} 1.5e+06
                etcd_disk_wal_fsync_duration_seconds_bucket{le="+Inf"} 1.5e+06
                """;
        assertThat(WalSyncs.in(asGoWritesLargeNumbers)).map(WalSyncs::count).isEqualTo(Optional.of(1_500_000L));
    }

    @Test
    void aMemberThatHasNotSyncedYetOrSaysNothingOfItIsNotJudged() {
        assertThat(WalSyncs.in(bucket("0.001", 0) + bucket("+Inf", 0))).isEmpty();
        assertThat(WalSyncs.in("go_goroutines 100\n")).isEmpty();
    }
}
