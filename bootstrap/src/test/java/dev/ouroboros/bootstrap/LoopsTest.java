package dev.ouroboros.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.node.action.Wakeup;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class LoopsTest {
    /** While a server boots, it lets the first looks wait: they cost this machine nothing, and everything waits for the one that is answered. */
    @Test
    void aLookThatHadToWaitIsSoonFollowedByTheNext() throws InterruptedException {
        CountDownLatch looks = new CountDownLatch(3);
        AtomicReference<Evidence<Health>> found = new AtomicReference<>(Evidence.known(new Health.NotListening()));
        try (Loops loops = new Loops(new Wakeup())) {
            loops.probe("server", found, previous -> {
                waitForAnswer();
                looks.countDown();
                return previous;
            });

            assertThat(looks.await(5, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void waitForAnswer() {
        try {
            Thread.sleep(Duration.ofMillis(500));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
