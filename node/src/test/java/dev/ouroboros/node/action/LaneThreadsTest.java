package dev.ouroboros.node.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
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
        AtomicBoolean ended = new AtomicBoolean();
        LaneThreads ofCommand = LaneThreads.ofCommand();
        ofCommand.execute("node", () -> {
            act();
            ended.set(true);
        });
        ofCommand.execute("node", () -> next.set(true));
        begun.await();

        ofCommand.close();

        assertThat(interrupted).isTrue();
        assertThat(ended).isTrue();
        assertThat(next).isFalse();
    }
}
