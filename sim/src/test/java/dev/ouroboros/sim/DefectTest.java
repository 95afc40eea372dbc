package dev.ouroboros.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every defect that is put back is found: that a simulator finds nothing says something only when it would have. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DefectTest {
    private static final long MOST_SEEDS = 400;

    /** How many seeds each needed, from 0 on: the table of docs/simulator.md. */
    private static final Path TABLE = Path.of("target", "defects.md");

    private final SortedMap<Defect, Long> needed = new TreeMap<>();

    @BeforeAll
    static void silence() {
        Sim.silence();
    }

    @AfterAll
    void tell() throws IOException {
        Files.writeString(
                TABLE,
                needed.entrySet().stream()
                        .map(row -> "| " + row.getKey().sentence() + " | " + row.getValue() + " |\n")
                        .collect(Collectors.joining()));
    }

    @ParameterizedTest
    @EnumSource(Defect.class)
    void isFound(Defect defect) {
        for (long seed = 0; seed < MOST_SEEDS; seed++) {
            Run.Outcome outcome = Run.of(seed, defect);
            if (outcome.violation().isPresent()) {
                assertThat(outcome.rule())
                        .as("%s, found by seed %d", defect.sentence(), seed)
                        .isPresent();
                needed.put(defect, seed + 1);
                return;
            }
        }
        assertThat(MOST_SEEDS).as("%s: not found", defect.sentence()).isZero();
    }
}
