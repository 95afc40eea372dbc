package dev.ouroboros.etcd;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a snapshot's file is to be called. {@value #TIME} in the name stands for the moment, as in {@code 20261121T151200Z}: names
 * with it sort by age.
 *
 * @param pattern the path as a person gave it
 */
public record SnapshotName(Path pattern) {
    public static final String TIME = "{time}";

    private static final String KEYS = ".keys.yaml";
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

    /** Where the keys of a snapshot's Secrets are kept, if anybody gave them: {@code etcd-20261121T151200Z.db.keys.yaml}. */
    public static Path keysOf(Path snapshot) {
        return snapshot.resolveSibling(snapshot.toFile().getName() + KEYS);
    }

    public Path at(Instant now) {
        return pattern.resolveSibling(name().replace(TIME, MOMENT.format(now)));
    }

    /** The moment in a file's name, when the name is one of this pattern's. */
    Optional<Instant> momentOf(String fileName) {
        String[] parts = name().split(Pattern.quote(TIME), -1);
        StringBuilder expression = new StringBuilder(Pattern.quote(parts[0]));
        for (int index = 1; index < parts.length; index++) {
            expression.append(index == 1 ? "(" + A_MOMENT + ")" : A_MOMENT).append(Pattern.quote(parts[index]));
        }
        Matcher matcher = Pattern.compile(expression.toString()).matcher(fileName);
        return matcher.matches() && matcher.groupCount() > 0 ? parse(matcher.group(1)) : Optional.empty();
    }

    /** As the digits of no moment, as the thirtieth of February, a name is somebody else's. */
    private static Optional<Instant> parse(String moment) {
        try {
            return Optional.of(MOMENT.parse(moment, Instant::from));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private String name() {
        Path last = pattern.getFileName();
        return last == null ? "" : last.toString();
    }
}
