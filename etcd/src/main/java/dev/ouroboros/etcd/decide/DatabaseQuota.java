package dev.ouroboros.etcd.decide;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The most that etcd's database may take, as its flag {@code --quota-backend-bytes} or the variable {@code ETCD_QUOTA_BACKEND_BYTES} has it: 2 GiB without one or with 0, no limit with less
 * (etcd, server/storage/quota.go).
 *
 * @param bytes empty for no limit
 */
public record DatabaseQuota(Optional<Long> bytes) {
    /** Per cent from which on somebody should see to it. */
    public static final int FILLS = 80;

    private static final long DEFAULT = 2L << 30;

    /**
     * Reads it.
     *
     * @param value of the flag or the variable; empty where neither is given
     * @return empty when it is not understood
     */
    public static Optional<DatabaseQuota> of(Optional<String> value) {
        return number(value.orElse("0"))
                .map(bytes ->
                        new DatabaseQuota(bytes < 0 ? Optional.empty() : Optional.of(bytes == 0 ? DEFAULT : bytes)));
    }

    /** How many per cent of it a database takes, cut; empty where there is no limit. */
    public OptionalInt percent(long databaseBytes) {
        return bytes.map(most ->
                        OptionalInt.of(Math.toIntExact(Math.min(databaseBytes * 100 / most, Integer.MAX_VALUE))))
                .orElseGet(OptionalInt::empty);
    }

    /** As Go reads a flag: also in hexadecimal, and with underscores between digits. */
    private static Optional<Long> number(String text) {
        try {
            return Optional.of(Long.decode(text.replace("_", "")));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
