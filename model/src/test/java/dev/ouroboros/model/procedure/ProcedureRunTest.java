package dev.ouroboros.model.procedure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcedureRunTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    /** Builds a wall to a height, of stones that have to be delivered: each action puts one on it. */
    private static final class Wall implements Procedure<String, Integer, String> {
        private final List<String> log = new ArrayList<>();
        private int height;
        private int stones;
        private boolean forgetsTheJournal;
        private String kept = "begun";

        @Override
        public Integer look(String state) {
            log.add("look " + state);
            return height;
        }

        @Override
        public NextStep<String, String> decide(Integer seen, String state, Instant now) {
            if (seen == 3) {
                return NextStep.end("done");
            }
            return stones > seen
                    ? NextStep.act("laying " + (seen + 1), "stone")
                    : NextStep.await(state, "stones", " (" + seen + " lie)");
        }

        @Override
        public String perform(String action, String state) {
            log.add(action);
            height++;
            return state;
        }

        void write(String state) {
            log.add("write " + state);
            kept = forgetsTheJournal ? kept : state;
        }
    }

    @Test
    void whatIsDecidedIsInTheJournalBeforeItIsDone() {
        Wall wall = new Wall();
        wall.stones = 1;
        ProcedureRun<String, Integer, String> run = new ProcedureRun<>(wall, wall::write, "begun", CLOCK);

        assertThat(run.step()).isEqualTo(new StepOutcome.Moved(true));
        assertThat(run.step()).isEqualTo(new StepOutcome.Waits("stones", " (1 lie)"));
        assertThat(wall.log).containsExactly("look begun", "write laying 1", "stone", "look laying 1");
        assertThat(run.state()).isEqualTo("laying 1");
    }

    @Test
    void theLastStateIsInTheJournalWhenItEnds() {
        Wall wall = new Wall();
        wall.stones = 3;
        ProcedureRun<String, Integer, String> run = new ProcedureRun<>(wall, wall::write, "begun", CLOCK);

        StepOutcome outcome = run.step();
        while (outcome instanceof StepOutcome.Moved) {
            outcome = run.step();
        }
        assertThat(outcome).isEqualTo(new StepOutcome.Ended());
        assertThat(wall.log).endsWith("look laying 3", "write done");
    }

    /** An action that has to be followed by something outside is not followed by the next look at once. */
    @Test
    void anActionMayHaveToBeWaitedFor() {
        Procedure<String, Boolean, String> knocking = new Procedure<>() {
            @Override
            public Boolean look(String state) {
                return true;
            }

            @Override
            public NextStep<String, String> decide(Boolean seen, String state, Instant now) {
                return NextStep.act(state, "knock").awaiting("an answer");
            }

            @Override
            public String perform(String action, String state) {
                return state;
            }
        };

        assertThat(new ProcedureRun<>(knocking, Journal.none(), "at the door", CLOCK).step())
                .isEqualTo(new StepOutcome.Waits("an answer", ""));
    }

    private static final class WallWorld implements KilledAnywhere.World {
        private final Wall wall = new Wall();

        WallWorld() {
            wall.stones = 3;
        }

        @Override
        public void run(KilledAnywhere.Place place) {
            Journal<String> journal = wall::write;
            ProcedureRun<String, Integer, String> run =
                    new ProcedureRun<>(place.in(wall), place.in(journal), wall.kept, CLOCK);
            while (!(run.step() instanceof StepOutcome.Ended)) {
                wall.log.add("on");
            }
        }

        @Override
        public void judge(int killed) {
            assertThat(wall.height).as("killed at " + killed).isEqualTo(3);
            assertThat(wall.kept).as("killed at " + killed).isEqualTo("done");
        }
    }

    @Test
    void killedBeforeAndBehindEveryWriteAndActionItGoesOn() throws Exception {
        // Three actions, and four writes.
        assertThat(KilledAnywhere.check(WallWorld::new)).isEqualTo(14);
    }

    @Test
    void whatDoesNotGoOnIsFound() {
        assertThatThrownBy(() -> KilledAnywhere.check(() -> {
                    WallWorld world = new WallWorld();
                    world.wall.forgetsTheJournal = true;
                    return world;
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("killed at");
    }
}
