package dev.ouroboros.images.oci;

import dev.ouroboros.model.asset.StateLayout;
import java.util.List;

/**
 * What is the keeper's own in its image: programs that it runs, and its lock.
 *
 * <p>The container's process is {@code flock}, which waits for the keeper's lock with less than a megabyte, and then becomes the JVM
 * ({@code --no-fork}): the lock is held by a descriptor that the JVM inherits, for as long as it lives. Children that a JVM starts
 * do not get the descriptor.
 */
final class KeeperImage {
    static final String LOCK = StateLayout.path(StateLayout.KEEPER) + "/lock";

    private static final String FLOCK = "/usr/bin/flock";
    private static final List<String> PROGRAMS = List.of("/usr/sbin/nft", "/usr/bin/sync", FLOCK);

    private KeeperImage() {}

    static JavaImage.Content content(JavaProgram program) {
        return new JavaImage.Content(
                BuiltImage.KEEPER, program, PROGRAMS, List.of(FLOCK, "--no-fork", LOCK), "keeper.classes", List.of());
    }
}
