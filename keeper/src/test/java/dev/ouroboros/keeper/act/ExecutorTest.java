package dev.ouroboros.keeper.act;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.report.DecisionLog;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.action.LaneThreads;
import dev.ouroboros.node.action.Lanes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ExecutorTest {
    private static final Planned REMOVAL =
            new Planned(new Action.RemoveSelf(), Reason.KEEPER_WAS_REMOVED, "as the test says");
    private static final Planned FRONT =
            new Planned(new Action.InstallFront(), Reason.FRONT_IS_MISSING, "as the test says");
    private static final ComponentName API_SERVER = new ComponentName("kube-system", "kube-apiserver");
    private static final Planned REAPING = new Planned(
            new Action.Reap(new RejectedPod("kube-system", "kube-apiserver-1", "uid-1", "NodeAffinity")),
            Reason.KUBELET_REJECTED_IT,
            "as the test says");
    private static final Planned REFUSAL = new Planned(
            new Action.ReportRefusal(API_SERVER, "uid-1", List.of()), Reason.CANNOT_BE_STATIC, "as the test says");

    /** A look that begins when everything has ended that was begun. */
    private static final Instant LATER = Instant.MAX;

    private final CountDownLatch removalMayEnd = new CountDownLatch(1);
    private final List<Action> begun = new CopyOnWriteArrayList<>();
    private final Executor executor = new Executor(
            new ActionPerformer(),
            LaneThreads.ofDaemon(),
            new DecisionLog(InstantSource.system()),
            () -> {},
            InstantSource.system());

    /** The removal is slow, and the disk refuses it. */
    private final class ActionPerformer implements Executor.Performer {
        @Override
        public void perform(Action action, Reason reason) {
            begun.add(action);
            if (action.equals(REMOVAL.action())) {
                try {
                    removalMayEnd.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw ProblemException.of(ErrorCode.DISK, "test", "refuses", "", "try again");
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
        executor.take(List.of(REMOVAL), LATER);
        eventually("the removal is under way", () -> begun.contains(REMOVAL.action()));

        executor.take(List.of(REMOVAL, FRONT), LATER);
        removalMayEnd.countDown();
        eventually("the removal has failed", () -> !executor.failing().isEmpty());
        assertThat(begun).containsExactly(REMOVAL.action());

        executor.take(List.of(FRONT), LATER);
        eventually("the front is put back", () -> begun.contains(FRONT.action()));
    }

    /** A lane that has its turns when the test says so. */
    private static final class Queue implements Lanes {
        private final Deque<Runnable> waiting = new ArrayDeque<>();

        @Override
        public void execute(String lane, Runnable action) {
            waiting.add(action);
        }

        void turn() {
            waiting.remove().run();
        }

        void turnIfAny() {
            Optional.ofNullable(waiting.poll()).ifPresent(Runnable::run);
        }

        @Override
        public void close() {
            waiting.clear();
        }
    }

    private Executor with(Lanes lanes) {
        return new Executor(
                new ActionPerformer(),
                lanes,
                new DecisionLog(InstantSource.system()),
                () -> {},
                InstantSource.system());
    }

    /** A pod that was being deleted before its kubelet rejected it: the server says yes, and nothing happens. */
    @Test
    void doesNotDoOverAndOverWhatAWatchDoesNotShow() {
        Queue lane = new Queue();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        try (Executor queued = new Executor(
                new ActionPerformer(), lane, new DecisionLog(InstantSource.system()), () -> {}, now::get)) {
            for (int second = 0; second < 60; second++) {
                for (int look = 0; look < 20; look++) {
                    queued.take(List.of(REAPING), LATER);
                    lane.turnIfAny();
                }
                now.updateAndGet(instant -> instant.plusSeconds(1));
            }
            assertThat(begun).as("after 0, 1, 3, 7, 15 and 31 s").hasSize(6);

            queued.take(List.of(), LATER);
            queued.take(List.of(REAPING), LATER);
            lane.turn();
            assertThat(begun).as("it was not asked for in between").hasSize(7);
        }
    }

    @Test
    void saysWhatIsDecidedOnceHoweverLongItWaited() {
        Queue lane = new Queue();
        try (Executor queued = with(lane)) {
            queued.take(List.of(REFUSAL), LATER);
            queued.take(List.of(), LATER);
            lane.turn();
            assertThat(begun).containsExactly(REFUSAL.action());
        }
    }
}
