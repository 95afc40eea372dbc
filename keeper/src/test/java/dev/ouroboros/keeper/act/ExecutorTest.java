package dev.ouroboros.keeper.act;

import static dev.ouroboros.keeper.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.core.keeper.Action;
import dev.ouroboros.core.keeper.Decision.Planned;
import dev.ouroboros.core.keeper.Reason;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.keeper.report.DecisionLog;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ExecutorTest {
    private static final Planned REMOVAL =
            new Planned(new Action.RemoveSelf(), Reason.KEEPER_WAS_REMOVED, "as the test says");
    private static final Planned FRONT =
            new Planned(new Action.InstallFront(), Reason.FRONT_IS_MISSING, "as the test says");

    private final CountDownLatch removalMayEnd = new CountDownLatch(1);
    private final List<Action> begun = new CopyOnWriteArrayList<>();
    private final Executor executor = new Executor(
            new Deeds(), new LaneThreads(), new DecisionLog(InstantSource.system()), () -> {}, InstantSource.system());

    /** The removal is slow, and the disk refuses it. */
    private final class Deeds implements Executor.Performer {
        @Override
        public void perform(Action action, Reason reason) {
            begun.add(action);
            if (action.equals(REMOVAL.action())) {
                try {
                    removalMayEnd.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw ProblemException.of(ErrorCode.DISK, "test", "refuses", "", "");
            }
        }

        @Override
        public void lookAgain(Action action) {}
    }

    @AfterEach
    void close() {
        removalMayEnd.countDown();
        executor.close();
    }

    /** The front's table is seen to be gone because it is being removed. */
    @Test
    void beginsNothingBesideItsOwnRemovalUntilThatFails() throws Exception {
        executor.begin(REMOVAL);
        eventually("the removal is under way", () -> begun.contains(REMOVAL.action()));

        executor.begin(FRONT);
        removalMayEnd.countDown();
        eventually("the removal has failed", () -> !executor.failing().isEmpty());
        assertThat(begun).containsExactly(REMOVAL.action());

        executor.begin(FRONT);
        eventually("the front is put back", () -> begun.contains(FRONT.action()));
    }
}
