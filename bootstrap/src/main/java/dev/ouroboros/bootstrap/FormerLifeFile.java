package dev.ouroboros.bootstrap;

import dev.ouroboros.cluster.FormerLife;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Remembers on disk whether the pods of a former life, from before a restore of etcd, are deleted: when the wall clock has jumped back
 * since, their times alone do not tell them from present pods. The file names its restore, so that it says nothing of the next restore.
 */
final class FormerLifeFile {
    private final Disk disk;
    private final Path file;

    FormerLifeFile(Disk disk, Path stateDirectory) {
        this.disk = disk;
        this.file = stateDirectory.resolve(StateLayout.FORMER_PODS_DELETED);
    }

    /** @param restored when etcd was restored; empty when it was not */
    FormerLife before(Optional<Instant> restored) {
        return restored.filter(this::isNoted).map(FormerLife::withoutPods).orElseGet(() -> FormerLife.before(restored));
    }

    private boolean isNoted(Instant restored) {
        return disk.readText(file).filter(text(restored)::equals).isPresent();
    }

    /** @throws dev.ouroboros.model.problem.ProblemException when it cannot be written */
    void note(Instant restored) {
        if (!isNoted(restored)) {
            disk.write(file, text(restored).getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        }
    }

    private static String text(Instant restored) {
        return restored + "\n";
    }
}
