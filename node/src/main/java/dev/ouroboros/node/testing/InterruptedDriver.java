package dev.ouroboros.node.testing;

import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.procedure.testing.KilledAnywhere;
import dev.ouroboros.node.procedure.ProcedureDriver;

/** A driver whose process ends at a place. */
public record InterruptedDriver(ProcedureDriver driver, KilledAnywhere.Place place) implements ProcedureDriver {
    @Override
    public <S, V, A> S run(Procedure<S, V, A> procedure, Journal<S> journal, S begun) {
        return driver.run(place.in(procedure), place.in(journal), begun);
    }
}
