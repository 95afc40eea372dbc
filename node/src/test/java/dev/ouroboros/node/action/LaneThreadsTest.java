package dev.ouroboros.node.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class LaneThreadsTest {
    private final LaneThreads lanes = LaneThreads.ofDaemon();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicBoolean interrupted = new AtomicBoolean();
    private final AtomicBoolean next = new AtomicBoolean();

    private void act() {
        begun.countDown();
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            interrupted.set(true);
        }
    }

    private static void uninterrupted(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException _) {
                // As a write to a disk: it ends when it ends.
            }
        }
    }

    @Test
    void whatHasBegunMayEndAndWhatWaitsIsNotBegun() throws Exception {
        lanes.execute("checkpoints", this::act);
        lanes.execute("checkpoints", () -> next.set(true));
        begun.await();
        Thread closing = Thread.ofVirtual().start(lanes::close);
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }

        mayEnd.countDown();
        closing.join();

        assertThat(interrupted).isFalse();
        assertThat(next).isFalse();
    }

    @Test
    void whatHangsIsInterrupted() throws Exception {
        lanes.execute("api", this::act);
        begun.await();

        lanes.close();

        assertThat(interrupted).isTrue();
    }

    /** A command's lock is given back when its lanes are closed. */
    @Test
    void aCommandInterruptsAtOnceAndWaitsUntilNothingRuns() throws Exception {
        CountDownLatch cleansUp = new CountDownLatch(1);
        CountDownLatch mayBeClean = new CountDownLatch(1);
        LaneThreads ofCommand = LaneThreads.ofCommand();
        ofCommand.execute("node", () -> {
            act();
            cleansUp.countDown();
            uninterrupted(mayBeClean);
        });
        ofCommand.execute("node", () -> next.set(true));
        begun.await();

        Thread closing = Thread.ofVirtual().start(ofCommand::close);
        assertThat(cleansUp.await(2, TimeUnit.SECONDS))
                .as("interrupted before a daemon would")
                .isTrue();
        assertThat(closing.join(Duration.ofSeconds(4)))
                .as("longer than a daemon would wait")
                .isFalse();
        mayBeClean.countDown();
        closing.join();

        assertThat(interrupted).isTrue();
        assertThat(next).isFalse();
    }
}
