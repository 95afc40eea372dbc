package dev.ouroboros.probe;

import dev.ouroboros.probe.report.ClientReport;
import dev.ouroboros.probe.report.ClientRow;
import dev.ouroboros.probe.report.OutageEvent;
import dev.ouroboros.probe.report.OutageTracker;
import dev.ouroboros.probe.report.Sample;
import java.time.Duration;

/** The one owner of a row's {@link OutageTracker}: any thread may hand it samples. */
final class Recorder {
    private final ClientRow row;
    private final OutageTracker tracker;
    private final ProbeListener listener;

    Recorder(ClientRow row, boolean awaitFirstAnswer, ProbeListener listener) {
        this.row = row;
        this.tracker = new OutageTracker(awaitFirstAnswer);
        this.listener = listener;
    }

    synchronized void record(Sample sample) {
        for (OutageEvent event : tracker.offer(sample)) {
            listener.event(row, event);
        }
    }

    synchronized ClientReport report(Duration end) {
        return tracker.report(row, end);
    }
}
