package dev.ouroboros.etcd;

import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.snapshot.Inspection;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * A snapshot that was verified and is on the disk.
 *
 * @param server the member that it is of
 * @param sha256 of the database, as the file's end states it, in hexadecimal
 * @param inspection what is in it; it has no damage
 * @param removed older snapshots that were not to be kept
 * @param remarks what did not work and does not make this snapshot worse
 */
public record SavedSnapshot(
        Path file,
        URI server,
        long bytes,
        String sha256,
        Inspection inspection,
        KeySpaceCheck keySpace,
        List<Path> removed,
        List<Problem> remarks) {
    public SavedSnapshot {
        removed = List.copyOf(removed);
        remarks = List.copyOf(remarks);
    }

    /** What came of the comparison with the server's own hash of the same revision. */
    public sealed interface KeySpaceCheck {
        /** @param hash of both */
        record Agrees(long revision, long hash) implements KeySpaceCheck {}

        /** @param reason why there was nothing to compare; the SHA-256 is right all the same */
        record NotCompared(String reason) implements KeySpaceCheck {}
    }
}
