package dev.ouroboros.sandbox.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.registry.RegistryAccess;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class UpOptionsTest {
    @Test
    void aStartIsNotEndedBeforeItsOwnPatienceEnds() {
        for (Duration timeout : List.of(Duration.ofSeconds(1), Duration.ofMinutes(5), Duration.ofHours(3))) {
            UpOptions options = new UpOptions(
                    Optional.empty(),
                    Optional.empty(),
                    true,
                    timeout,
                    true,
                    Optional.empty(),
                    RegistryAccess.direct(),
                    Optional.empty(),
                    1,
                    Optional.empty(),
                    "2-4",
                    List.of("ouro"));

            assertThat(options.startLimit()).isGreaterThan(timeout.multipliedBy(2));
        }
    }
}
