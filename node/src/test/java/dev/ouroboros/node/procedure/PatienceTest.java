package dev.ouroboros.node.procedure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PatienceTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<String> said = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private final Patience patience = new Patience(
            new ProcedureListener() {
                @Override
                public void did(String what) {
                    said.add(what);
                }

                @Override
                public void waits(String why, Duration since) {
                    said.add(why + " " + since.toSeconds());
                }
            },
            LIMIT,
            Duration.ZERO,
            (InstantSource) () -> now);

    @Test
    void aReasonIsSaidOnceAndEachHalfMinute() {
        waits(0, "a", "");
        waits(10, "a", "");
        waits(30, "a", "");
        waits(31, "b", "");

        assertThat(said).containsExactly("a 0", "a 30", "b 0");
    }

    @Test
    void anotherDetailIsSaidAndIsNoProgress() {
        waits(0, "a", "");
        waits(1, "a", " (ImagePullBackOff)");
        waits(40, "a", " (ErrImagePull)");

        assertThat(said).containsExactly("a 0", "a (ImagePullBackOff) 1", "a (ErrImagePull) 40");
        assertThatThrownBy(() -> waits(61, "a", " (ImagePullBackOff)"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("nothing moved for 60 s: a (ImagePullBackOff)");
    }

    @Test
    void whatWasDoneBeginsAnew() {
        waits(0, "a", "");
        now = Instant.EPOCH.plusSeconds(50);
        patience.did();
        waits(70, "a", "");

        assertThat(said).containsExactly("a 0", "a 0");
    }

    private void waits(long second, String why, String detail) {
        now = Instant.EPOCH.plusSeconds(second);
        patience.waits(why, detail);
    }
}
