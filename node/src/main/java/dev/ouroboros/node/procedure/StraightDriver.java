package dev.ouroboros.node.procedure;

import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import java.time.InstantSource;

/** Drives procedures that never wait, as a {@link dev.ouroboros.model.procedure.Sequence} is. */
public record StraightDriver(InstantSource clock) implements ProcedureDriver {
    /** @throws IllegalStateException when the procedure waits */
    @Override
    public <S, V, A> S run(Procedure<S, V, A> procedure, Journal<S> journal, S begun) {
        ProcedureRun<S, V, A> run = new ProcedureRun<>(procedure, journal, begun, clock);
        while (true) {
            switch (run.step()) {
                case StepOutcome.Moved(boolean _) -> {}
                case StepOutcome.Waits(String what, String _) ->
                    throw new IllegalStateException("this procedure was not meant to wait: " + what);
                case StepOutcome.Ended() -> {
                    return run.state();
                }
            }
        }
    }
}
