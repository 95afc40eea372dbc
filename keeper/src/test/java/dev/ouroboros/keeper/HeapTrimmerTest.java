package dev.ouroboros.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class HeapTrimmerTest {
    private static final long LEFT = 100;

    private final AtomicLong committed = new AtomicLong(200);
    private final AtomicInteger collections = new AtomicInteger();
    private final HeapTrimmer trimmer = new HeapTrimmer(committed::get, () -> {
        collections.incrementAndGet();
        committed.set(LEFT);
    });

    @Test
    void collectsWhenTheHeapHasGrownAndNotAgainAtRest() {
        trimmer.run();
        assertThat(collections).hasValue(1);

        trimmer.run();
        trimmer.run();
        assertThat(collections).hasValue(1);

        committed.set(LEFT + 1);
        trimmer.run();
        assertThat(collections).hasValue(2);
    }
}
