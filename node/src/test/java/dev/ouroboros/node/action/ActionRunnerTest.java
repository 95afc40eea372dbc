package dev.ouroboros.node.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

final class ActionRunnerTest {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);
    private static final Duration STOOD_STILL = Duration.ofSeconds(10);

    /** A look that begins when everything has ended that was begun. */
    private static final Instant LATER = Instant.MAX;

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final List<String> performed = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final List<RuntimeException> defects = new ArrayList<>();
    private Optional<String> failure = Optional.empty();
    private Instant now = Instant.EPOCH;
    private int changes;
    private boolean closed;

    private final ActionRunner<String> runner = new ActionRunner<>(
            new Queue(), () -> changes++, new ActionRunner.Settings(LONGEST_PAUSE, STOOD_STILL), () -> now);

    /** All lanes in one, which has its turns when the test says so. */
    private final class Queue implements Lanes {
        @Override
        public void execute(String lane, Runnable action) {
            if (closed) {
                throw new RejectedExecutionException();
            }
            waiting.add(action);
        }

        @Override
        public void close() {
            waiting.clear();
        }
    }

    private final class Deed implements Task<String> {
        private final String action;
        private final Kind kind;

        Deed(String action, Kind kind) {
            this.action = action;
            this.kind = kind;
        }

        @Override
        public String action() {
            return action;
        }

        @Override
        public String lane() {
            return "";
        }

        @Override
        public Kind kind() {
            return kind;
        }

        @Override
        public Optional<String> perform() {
            performed.add(action);
            if (failure.equals(Optional.of("defect"))) {
                throw new IllegalStateException("defect");
            }
            return failure;
        }

        @Override
        public void failed(String why) {
            failed.add(why);
        }

        @Override
        public void defect(RuntimeException e) {
            defects.add(e);
        }
    }

    private Deed usual(String action) {
        return new Deed(action, Task.Kind.USUAL);
    }

    private void turn() {
        Optional.ofNullable(waiting.poll()).ifPresent(Runnable::run);
    }

    private void takeAndTurn(Deed... wanted) {
        runner.take(List.of(wanted), LATER);
        turn();
    }

    @Test
    void performsAnActionAndTellsThatSomethingChanged() {
        takeAndTurn(usual("write"));

        assertThat(performed).containsExactly("write");
        assertThat(changes).isEqualTo(1);
    }

    @Test
    void beginsNothingTwiceThatIsUnderWay() {
        runner.take(List.of(usual("write")), LATER);
        runner.take(List.of(usual("write")), LATER);

        assertThat(waiting).hasSize(1);
    }

    /** As a checkpoint that was saved while the keeper looked for another time: the decision still asked for it. */
    @Test
    void whatEndedAfterALookBeganIsNotBegunOnWhatThatLookSaw() {
        Instant look = now;
        runner.take(List.of(usual("write")), look);
        now = now.plusMillis(5);
        turn();
        runner.take(List.of(usual("write")), look);
        assertThat(waiting).isEmpty();

        runner.take(List.of(usual("write")), now);
        assertThat(waiting).as("a look that began later asks for it").hasSize(1);
    }

    /** A pod that was being deleted before its kubelet rejected it: the server says yes, and nothing happens. */
    @Test
    void doesNotDoOverAndOverWhatIsNotShown() {
        Deed deletion = new Deed("delete", Task.Kind.SHOWN_LATER);
        for (int second = 0; second < 60; second++) {
            takeAndTurn(deletion);
            takeAndTurn(deletion);
            now = now.plusSeconds(1);
        }
        assertThat(performed).as("after 0, 1, 3, 7, 15 and 31 s").hasSize(6);

        runner.take(List.of(), LATER);
        takeAndTurn(deletion);
        assertThat(performed).as("it was not asked for in between").hasSize(7);
    }

    @Test
    void triesAgainAfterPausesThatDoubleUpToTheLongest() {
        failure = Optional.of("no room");
        List<Long> tries = new ArrayList<>();
        for (int tenth = 0; tenth < 200; tenth++) {
            int before = performed.size();
            takeAndTurn(usual("write"));
            if (performed.size() > before) {
                tries.add(Duration.between(Instant.EPOCH, now).toMillis());
            }
            now = now.plusMillis(100);
        }

        assertThat(tries).containsExactly(0L, 500L, 1500L, 3500L, 7500L, 11500L, 15500L, 19500L);
        assertThat(failed).as("told once").containsExactly("no room");
        assertThat(runner.failing()).containsOnlyKeys("write").containsValue("no room");
    }

    @Test
    void tellsOfAnotherReasonAndForgetsAFailureThatIsOver() {
        failure = Optional.of("no room");
        takeAndTurn(usual("write"));
        failure = Optional.of("read-only");
        now = now.plusSeconds(1);
        takeAndTurn(usual("write"));
        assertThat(failed).containsExactly("no room", "read-only");

        failure = Optional.empty();
        now = now.plusSeconds(1);
        takeAndTurn(usual("write"));
        assertThat(runner.failing()).isEmpty();
    }

    /** What is decided anew is no try of what was decided before. */
    @Test
    void forgetsTheFailureOfWhatIsNotWantedAnyMore() {
        failure = Optional.of("no room");
        takeAndTurn(usual("write"));
        runner.take(List.of(), LATER);
        assertThat(runner.failing()).isEmpty();

        takeAndTurn(usual("write"));
        assertThat(performed).hasSize(2);
    }

    @Test
    void aDefectCountsAsAFailureAndEndsNoLane() {
        failure = Optional.of("defect");
        takeAndTurn(usual("write"));

        assertThat(defects).hasSize(1);
        assertThat(runner.failing()).containsOnlyKeys("write");
        assertThat(changes).isEqualTo(1);
    }

    /** The clients may be sent back to a server before its deletion, which was decided on, has its turn. */
    @Test
    void dropsWhatWaitsAndIsNotWantedAnyMore() {
        runner.take(List.of(usual("tell"), usual("delete")), LATER);
        turn();
        runner.take(List.of(usual("tell")), LATER);
        turn();
        assertThat(performed).containsExactly("tell");

        waiting.clear();
        takeAndTurn(usual("delete"));
        assertThat(performed).containsExactly("tell", "delete");
    }

    @Test
    void performsWhatIsDecidedOnceHoweverLongItWaited() {
        runner.take(List.of(new Deed("refuse", Task.Kind.DECIDED_ONCE)), LATER);
        runner.take(List.of(), LATER);
        now = now.plus(STOOD_STILL).plusMillis(1);
        turn();

        assertThat(performed).containsExactly("refuse");
    }

    /** Seed 11066: it was decided to lead the clients to a server that had ended when the process went on. */
    @Test
    void dropsWhatWaitedWhileTheProcessStoodStill() {
        runner.take(List.of(usual("point")), LATER);
        now = now.plus(STOOD_STILL).plusMillis(1);
        turn();
        assertThat(performed).isEmpty();
        assertThat(changes)
                .as("it may have been wanted again, and is decided on anew")
                .isEqualTo(1);

        takeAndTurn(usual("point"));
        assertThat(performed).containsExactly("point");
    }

    @Test
    void beginsNothingBesideTheLastUntilThatFails() {
        Deed removal = new Deed("remove", Task.Kind.LAST);
        runner.take(List.of(removal), LATER);
        runner.take(List.of(removal, usual("write")), LATER);
        assertThat(waiting).hasSize(1);

        failure = Optional.of("no room");
        turn();
        takeAndTurn(usual("write"));
        assertThat(performed).containsExactly("remove", "write");
    }

    /** Or nothing would ever be begun again. */
    @Test
    void goesOnWhenTheLastIsTakenBackBeforeItBegan() {
        runner.take(List.of(new Deed("remove", Task.Kind.LAST)), LATER);
        runner.take(List.of(), LATER);
        turn();
        takeAndTurn(usual("write"));

        assertThat(performed).containsExactly("write");
    }

    @Test
    void beginsNothingWhenItsLanesAreClosed() {
        closed = true;
        runner.take(List.of(usual("write")), LATER);
        closed = false;
        takeAndTurn(usual("write"));

        assertThat(performed).as("it was not taken for one that is under way").containsExactly("write");
    }
}
