package dev.ouroboros.etcd;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;

/**
 * What a snapshot's file is to be called. {@value #TIME} in the name stands for the moment, as in {@code 20261121T151200Z}: names
 * with it sort by age.
 *
 * @param pattern the path as a person gave it
 */
public record SnapshotName(Path pattern) {
    public static final String TIME = "{time}";

    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final String A_MOMENT = "\\d{8}T\\d{6}Z";

    public SnapshotName {
        pattern = pattern.toAbsolutePath().normalize();
    }

    public boolean hasTime() {
        return name().contains(TIME);
    }

    public Path directory() {
        return pattern.resolveSibling("");
    }

    public Path at(Instant now) {
        return pattern.resolveSibling(name().replace(TIME, MOMENT.format(now)));
    }

    /** Whether a file's name is one of this pattern's. */
    boolean matches(String fileName) {
        String[] parts = name().split(Pattern.quote(TIME), -1);
        StringBuilder expression = new StringBuilder(Pattern.quote(parts[0]));
        for (int index = 1; index < parts.length; index++) {
            expression.append(A_MOMENT).append(Pattern.quote(parts[index]));
        }
        return Pattern.matches(expression.toString(), fileName);
    }

    private String name() {
        Path last = pattern.getFileName();
        return last == null ? "" : last.toString();
    }
}
