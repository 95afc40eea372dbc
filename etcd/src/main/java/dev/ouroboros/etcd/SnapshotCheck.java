package dev.ouroboros.etcd;

import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.file.Path;
import java.util.List;

/** Reads all of a snapshot before anything is done with it. */
public final class SnapshotCheck {
    private static final int TABLE_PART = 4;

    private SnapshotCheck() {}

    /**
     * Requires that every page and record can be read.
     *
     * @return whether the file ends with its SHA-256, which etcd's tool can check; the database of a data directory has none
     * @throws ProblemException with every damage
     */
    public static boolean requireWhole(Path file) {
        long table = Runtime.getRuntime().maxMemory() / TABLE_PART;
        try (Snapshot snapshot = Snapshot.open(file, EncryptionConfiguration.none(), table)) {
            var inspection = snapshot.inspect();
            List<Problem> damage = inspection.damage();
            if (!damage.isEmpty()) {
                throw new ProblemException(damage);
            }
            return switch (inspection.file().digest()) {
                case RIGHT -> true;
                case ABSENT, WRONG -> false;
            };
        }
    }
}
