package dev.ouroboros.etcd;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Names of what a restore makes. All of it is inside of etcd's data directory, which may be a mount point: {@code member}, in which etcd has
 * everything, can be renamed there and nowhere else. etcd warns about names that it does not know, and goes on.
 *
 * @param dataDirectory etcd's
 * @param begun when the restore began
 */
record RestorePlaces(Path dataDirectory, Instant begun) {
    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final String MEMBER = "member";
    static final String STAGED_PREFIX = ".ouroboros-restor";

    Path member() {
        return dataDirectory.resolve(MEMBER);
    }

    /** What the tool writes, until it is complete. */
    Path staging() {
        return dataDirectory.resolve(STAGED_PREFIX + "ing");
    }

    Path staged() {
        return dataDirectory.resolve(STAGED_PREFIX + "ed-" + moment());
    }

    Path stagedMember() {
        return staged().resolve(MEMBER);
    }

    Path aside() {
        return dataDirectory.resolve(MEMBER + ".before-" + moment());
    }

    Path rejected() {
        return dataDirectory.resolve(MEMBER + ".rejected-" + moment());
    }

    /** The new cluster's token. */
    String token() {
        return "ouroboros-restored-" + moment();
    }

    private String moment() {
        return MOMENT.format(begun);
    }
}
