package dev.ouroboros.etcd;

import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.Snapshot;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.file.Path;

/** Reads all of a snapshot before anything is done with it. */
public final class SnapshotCheck {
    private SnapshotCheck() {}

    /**
     * Requires that every page and record can be read.
     *
     * @return whether the file ends with its SHA-256, which etcd's tool can check; the database of a data directory has none
     * @throws ProblemException with every damage
     */
    public static boolean requireWhole(Path file) {
        return switch (inspect(file, EncryptionConfiguration.none()).file().digest()) {
            case RIGHT -> true;
            case ABSENT, WRONG -> false;
        };
    }

    /**
     * Reads all of it.
     *
     * @param keys with which what is encrypted is decrypted; what has none of them is among what cannot be read
     * @throws ProblemException with every damage
     */
    static Inspection inspect(Path file, EncryptionConfiguration keys) {
        try (Snapshot snapshot = Snapshot.open(file, keys)) {
            Inspection inspection = snapshot.inspect();
            if (!inspection.damage().isEmpty()) {
                throw new ProblemException(inspection.damage());
            }
            return inspection;
        }
    }
}
