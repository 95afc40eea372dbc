package dev.ouroboros.node.testing;

import dev.ouroboros.core.procedure.Journal;
import dev.ouroboros.core.procedure.Procedure;
import dev.ouroboros.core.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.procedure.ProcedureDriver;

/** A driver whose process ends at a place. */
public record InterruptedDriver(ProcedureDriver driver, KilledAnywhere.Place place) implements ProcedureDriver {
    @Override
    public <S, V, A> S run(Procedure<S, V, A> procedure, Journal<S> journal, S begun) {
        return driver.run(place.in(procedure), place.in(journal), begun);
    }
}
