package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.testing.ModelDisk;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FormerLifeFileTest {
    private static final Path STATE = Path.of("/var/lib/ouroboros");
    private static final Instant RESTORED = Instant.parse("2026-11-21T12:00:00.500Z");
    private static final Json EARLIER =
            Json.object().with("metadata", Json.object().with("creationTimestamp", Json.text("2026-11-20T12:00:00Z")));

    private final ModelDisk disk = new ModelDisk();

    private boolean hasPods(Instant restored) {
        return new FormerLifeFile(disk, STATE).before(Optional.of(restored)).includes(EARLIER);
    }

    @Test
    void remembersOfWhichRestoreThePodsAreDeleted() {
        disk.createDirectories(STATE, "rwx------");
        assertThat(hasPods(RESTORED)).isTrue();

        new FormerLifeFile(disk, STATE).note(RESTORED);

        assertThat(hasPods(RESTORED)).isFalse();
        assertThat(hasPods(RESTORED.plusSeconds(1))).isTrue();
    }

    @Test
    void whatIsRememberedOfARestoreSaysNothingWithoutOne() {
        disk.createDirectories(STATE, "rwx------");
        new FormerLifeFile(disk, STATE).note(RESTORED);

        assertThat(new FormerLifeFile(disk, STATE).before(Optional.empty()).was())
                .isFalse();
    }
}
