package dev.ouroboros.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * How long the disk of a member took to sync its log, which each write waits for, since the member was started: its metric {@code etcd_disk_wal_fsync_duration_seconds}.
 *
 * @param count how often it did
 * @param p99 what 99 of 100 took at most, interpolated within a bucket as Prometheus does it (histogram_quantile)
 */
public record WalSyncs(long count, Duration p99) {
    private static final String METRIC = "etcd_disk_wal_fsync_duration_seconds_bucket";
    private static final Pattern BUCKET = Pattern.compile("(?m)^" + METRIC + "\\{le=\"([^\"]+)\"} ([0-9.eE+]+)$");
    private static final String HIGHEST = "+Inf";
    private static final double SHARE = 0.99;

    /** One of the buckets, in which syncs are counted that took its bound at most. */
    private record Bucket(double seconds, double count) {
        static Bucket of(MatchResult line) {
            String bound = line.group(1);
            return new Bucket(
                    bound.equals(HIGHEST) ? Double.POSITIVE_INFINITY : Double.parseDouble(bound),
                    Double.parseDouble(line.group(2)));
        }
    }

    /** What a member's metrics say, in Prometheus' text format; empty when they say nothing of it. */
    static Optional<WalSyncs> in(String metrics) {
        List<Bucket> buckets = BUCKET.matcher(metrics).results().map(Bucket::of).toList();
        double all = buckets.stream().mapToDouble(Bucket::count).max().orElse(0);
        double rank = all * SHARE;
        Bucket below = new Bucket(0, 0);
        for (Bucket bucket : buckets) {
            if (all > 0 && bucket.count() >= rank) {
                return Optional.of(new WalSyncs((long) all, duration(below, bucket, rank)));
            }
            below = bucket;
        }
        return Optional.empty();
    }

    /** Of what took longer than the highest bound nothing else is known. */
    private static Duration duration(Bucket below, Bucket bucket, double rank) {
        double seconds = Double.isInfinite(bucket.seconds())
                ? below.seconds()
                : below.seconds()
                        + (bucket.seconds() - below.seconds())
                                * (rank - below.count())
                                / (bucket.count() - below.count());
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
