package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.evidence.Evidence;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one source says now. A change wakes the decider; losing sight, and seeing again, is logged. */
final class Cell<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Cell.class);

    private final String name;
    private final Signal changed;
    private final AtomicReference<Evidence<T>> value = new AtomicReference<>(Evidence.unknown("not read yet"));

    Cell(String name, Signal changed) {
        this.name = name;
        this.changed = changed;
    }

    Evidence<T> get() {
        return value.get();
    }

    void set(Evidence<T> now) {
        Evidence<T> before = value.get();
        if (before.equals(now)) {
            // The old object stays: comparing it with itself later needs no look inside.
            return;
        }
        value.set(now);
        switch (now) {
            case Evidence.Unknown<T>(String reason) -> {
                if (before instanceof Evidence.Known) {
                    LOG.warn("component=keeper source={} event=unknown reason=\"{}\"", name, reason);
                }
            }
            case Evidence.Known<T> _ -> {
                if (before instanceof Evidence.Unknown) {
                    LOG.info("component=keeper source={} event=known", name);
                }
            }
        }
        changed.raise();
    }
}
