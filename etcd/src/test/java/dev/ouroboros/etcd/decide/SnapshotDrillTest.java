package dev.ouroboros.etcd.decide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.etcd.decide.SnapshotDrill.Action;
import dev.ouroboros.etcd.decide.SnapshotDrill.Hashes;
import dev.ouroboros.etcd.decide.SnapshotDrill.Phase;
import dev.ouroboros.etcd.decide.SnapshotDrill.Seen;
import dev.ouroboros.etcd.decide.SnapshotDrill.State;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SnapshotDrillTest {
    private static final Instant NOW = Instant.parse("2026-11-29T15:12:00Z");
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final State SERVING = new State(Phase.SERVING, Optional.of(NOW), Optional.empty());
    private static final Evidence<Integer> RESTORING = Evidence.unknown("etcd's tool has not ended");
    private static final Evidence<Hashes> SILENT = Evidence.unknown("nobody listens");

    private static NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        return new SnapshotDrill("saved.db", LIMIT).decide(seen, state, now);
    }

    private static Seen left(boolean manifest, boolean runs, boolean data) {
        return new Seen(
                Evidence.known(manifest),
                Evidence.known(runs),
                Evidence.known(data),
                RESTORING,
                SILENT,
                Optional.empty());
    }

    private static Seen served(Evidence<Integer> restore, Evidence<Hashes> hashes) {
        return new Seen(
                Evidence.known(true), Evidence.known(true), Evidence.known(true), restore, hashes, Optional.empty());
    }

    private static Problem failure(NextStep<State, Action> step) {
        assertThat(step.state().phase()).isEqualTo(Phase.LEAVING);
        return step.state().failure().orElseThrow();
    }

    @Test
    void whatIsLeftIsClearedAwayInOrderBeforeAndAfter() {
        for (State state : new State[] {State.initial(), State.leaving()}) {
            assertThat(decide(left(true, true, true), state, NOW).action()).contains(Action.STOP);
            NextStep<State, Action> ends = decide(left(false, true, true), state, NOW);
            assertThat(ends.action()).as("its data are in use").isEmpty();
            assertThat(ends.waitingFor()).isEqualTo("the end of the drill's etcd");
            assertThat(decide(left(false, false, true), state, NOW).action()).contains(Action.DISCARD);
        }
        assertThat(decide(left(false, false, false), State.initial(), NOW).state())
                .isEqualTo(SERVING);
        assertThat(decide(left(false, false, false), State.leaving(), NOW)
                        .state()
                        .phase())
                .isEqualTo(Phase.DONE);
    }

    /** A runtime that does not answer is none that has nothing. */
    @Test
    void whatIsUnknownIsNotTakenForGone() {
        Seen unknown = new Seen(
                Evidence.known(false),
                Evidence.unknown("the runtime does not answer"),
                Evidence.known(true),
                RESTORING,
                SILENT,
                Optional.empty());
        assertThat(decide(unknown, State.leaving(), NOW).action()).isEmpty();
    }

    @Test
    void theSameKeySpaceIsAllThatIsAskedFor() {
        assertThat(decide(left(false, false, false), SERVING, NOW).action()).contains(Action.START);
        assertThat(decide(served(RESTORING, SILENT), SERVING, NOW).action()).isEmpty();
        State after = decide(served(Evidence.known(0), Evidence.known(new Hashes(7, 7))), SERVING, NOW)
                .state();
        assertThat(after.phase()).isEqualTo(Phase.LEAVING);
        assertThat(after.failure()).isEmpty();
    }

    @Test
    void whatSpeaksAgainstTheSnapshotIsTold() {
        Problem other = failure(decide(served(Evidence.known(0), Evidence.known(new Hashes(7, 8))), SERVING, NOW));
        assertThat(other.code()).isEqualTo(ErrorCode.DAMAGED_FILE);
        assertThat(other.describe()).contains("saved.db", "hash 7", "(8)");
        Problem refused = failure(decide(served(Evidence.known(2), SILENT), SERVING, NOW));
        assertThat(refused.code()).isEqualTo(ErrorCode.DAMAGED_FILE);
        assertThat(refused.what()).contains("ended with 2");
        Problem late = failure(decide(
                served(Evidence.known(0), SILENT), SERVING, NOW.plus(LIMIT).plusSeconds(1)));
        assertThat(late.code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(late.what()).contains("was restored", "600 s", "nobody listens");
        Problem never = failure(
                decide(served(RESTORING, SILENT), SERVING, NOW.plus(LIMIT).plusSeconds(1)));
        assertThat(never.what()).contains("was not restored", "etcd's tool has not ended");
    }
}
