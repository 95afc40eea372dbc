package dev.ouroboros.images.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class VersionOrderTest {
    @Test
    void countsRatherThanSpells() {
        List<String> sorted = List.of("1.20.2", "1.9.11", "1.20.10", "1.20.2-rc.1").stream()
                .sorted(VersionOrder.INSTANCE)
                .toList();

        assertThat(sorted).containsExactly("1.9.11", "1.20.2-rc.1", "1.20.2", "1.20.10");
    }

    @Test
    void cacheIsWhereTheUserSaysOrBelowTheHomeDirectory() {
        Path home = Path.of("/home/someone");

        assertThat(CacheDirectory.of(Map.of(), home).root()).isEqualTo(Path.of("/home/someone/.cache/ouroboros"));
        assertThat(CacheDirectory.of(Map.of("XDG_CACHE_HOME", "/c"), home).root())
                .isEqualTo(Path.of("/c/ouroboros"));
        assertThat(CacheDirectory.of(Map.of("XDG_CACHE_HOME", "c"), home).root())
                .isEqualTo(Path.of("/home/someone/.cache/ouroboros"));
    }
}
