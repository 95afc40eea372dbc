package dev.ouroboros.keeper.act;

import static dev.ouroboros.api.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.keeper.decide.Action;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.keeper.decide.Decision.Planned;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.keeper.decide.Reason;
import dev.ouroboros.keeper.observe.Signal;
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
    private static final Planned REPORT = new Planned(
            new Action.ReportChange(API_SERVER, new ChangeReport("Switching", Optional.empty(), "")),
            Reason.CHANGE_MOVED_ON,
            "as the test says");
    private static final Planned REPLACEMENT = new Planned(
            new Action.ReplacePrincipal(API_SERVER, "uid-1", "kube-apiserver-1"),
            Reason.CANDIDATE_SERVES,
            "as the test says");
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

    /** As a checkpoint that was saved while the keeper looked for another time: the decision still asked for it. */
    @Test
    void whatEndedAfterALookBeganIsNotBegunOnWhatThatLookSaw() {
        Queue lane = new Queue();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        try (Executor queued = new Executor(
                new ActionPerformer(), lane, new DecisionLog(InstantSource.system()), () -> {}, now::get)) {
            queued.take(List.of(FRONT), now.get());
            Instant look = now.get();
            now.set(Instant.EPOCH.plusMillis(5));
            lane.turn();
            queued.take(List.of(FRONT), look);
            lane.turnIfAny();
            assertThat(begun).containsExactly(FRONT.action());

            queued.take(List.of(FRONT), now.get());
            lane.turnIfAny();
            assertThat(begun).as("a look that began later asks for it").containsExactly(FRONT.action(), FRONT.action());
        }
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

    /** The clients may be sent back to a principal before the deletion that was decided on has its turn. */
    @Test
    void doesNotReplaceAPrincipalThatTheLatestDecisionLeavesAlone() {
        Queue lane = new Queue();
        try (Executor queued = with(lane)) {
            queued.take(List.of(REPORT, REPLACEMENT), LATER);
            lane.turn();
            queued.take(List.of(REPORT), LATER);
            lane.turn();
            assertThat(begun).containsExactly(REPORT.action());

            queued.take(List.of(REPLACEMENT), LATER);
            lane.turn();
            assertThat(begun).containsExactly(REPORT.action(), REPLACEMENT.action());
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

    /** Or nothing would ever be begun again. */
    @Test
    void staysWhenItsRemovalIsTakenBackBeforeItBegan() {
        Queue lane = new Queue();
        try (Executor queued = with(lane)) {
            queued.take(List.of(REMOVAL), LATER);
            queued.take(List.of(), LATER);
            lane.turn();
            queued.take(List.of(FRONT), LATER);
            lane.turn();
            assertThat(begun).containsExactly(FRONT.action());
        }
    }

    /** Seed 11066: it was decided to lead the clients to a server that had ended when the process went on. */
    @Test
    void dropsWhatWaitedWhileTheProcessStoodStill() {
        Queue lane = new Queue();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        try (Executor queued = new Executor(
                new ActionPerformer(), lane, new DecisionLog(InstantSource.system()), () -> {}, now::get)) {
            queued.take(List.of(FRONT), LATER);
            now.set(Instant.EPOCH.plus(Signal.STOOD_STILL).plusMillis(1));
            lane.turn();
            assertThat(begun).isEmpty();

            queued.take(List.of(FRONT), LATER);
            lane.turn();
            assertThat(begun).containsExactly(FRONT.action());
        }
    }
}
