package dev.ouroboros.probe;

import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.OutageEvent;

/** Told what a probe sees while it runs; called from several threads, one at a time for each row. */
public interface ProbeListener {
    /** Hears nothing. */
    ProbeListener NONE = new ProbeListener() {
        @Override
        public void event(ClientRow row, OutageEvent event) {}

        @Override
        public void warning(String message) {}
    };

    void event(ClientRow row, OutageEvent event);

    /** Something that is no failure of the endpoint but that a person should know. */
    void warning(String message);
}
