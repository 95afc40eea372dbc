package dev.ouroboros.probe;

import dev.ouroboros.probe.report.WatchJournal;
import dev.ouroboros.probe.report.WatchReport;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A {@link WatchJournal} that a writer and a watcher share. */
final class SharedJournal {
    private final Timeline timeline;
    private final WatchJournal journal = new WatchJournal();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    SharedJournal(Timeline timeline) {
        this.timeline = timeline;
    }

    void acknowledged(long number) {
        tell(() -> journal.acknowledged(number, timeline.now()));
    }

    void observed(long number, WatchJournal.Source source) {
        tell(() -> journal.observed(number, source, timeline.now()));
    }

    void connected() {
        tell(() -> journal.connected(timeline.now()));
    }

    void disconnected() {
        tell(() -> journal.disconnected(timeline.now()));
    }

    boolean stalled(Duration limit) {
        lock.lock();
        try {
            return journal.stalled(timeline.now(), limit);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until everything acknowledged was observed; false when it was not in time. */
    boolean awaitCaughtUp(Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (!journal.caughtUp() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return journal.caughtUp();
        } finally {
            lock.unlock();
        }
    }

    WatchReport report(OptionalLong stored, Duration end) {
        lock.lock();
        try {
            return journal.report(stored, end);
        } finally {
            lock.unlock();
        }
    }

    private void tell(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
