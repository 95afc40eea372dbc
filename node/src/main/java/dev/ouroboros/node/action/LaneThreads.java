package dev.ouroboros.node.action;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One virtual thread per lane. */
public final class LaneThreads implements Lanes {
    private static final Duration LAST_WAIT = Duration.ofSeconds(3);

    private final boolean ofDaemon;
    private final Map<String, ThreadPoolExecutor> lanes = new HashMap<>();

    private LaneThreads(boolean ofDaemon) {
        this.ofDaemon = ofDaemon;
    }

    /**
     * Lanes whose actions have some seconds to end when they are closed. When the keeper's static copy removes itself, the kubelet ends it as soon as
     * its manifest is gone, and no keeper comes after it to finish. An action that hangs is interrupted then, so that the process ends.
     */
    public static LaneThreads ofDaemon() {
        return new LaneThreads(true);
    }

    /**
     * Lanes that interrupt their actions when they are closed, and wait until these have ended: a command gives back its lock after that, and must
     * write nothing without the lock.
     */
    public static LaneThreads ofCommand() {
        return new LaneThreads(false);
    }

    @Override
    public synchronized void execute(String lane, Runnable action) {
        lanes.computeIfAbsent(lane, LaneThreads::lane).execute(action);
    }

    private static ThreadPoolExecutor lane(String name) {
        return new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofVirtual().name("act-" + name).factory());
    }

    @Override
    public synchronized void close() {
        Collection<ThreadPoolExecutor> all = lanes.values();
        all.forEach(lane -> lane.getQueue().clear());
        all.forEach(ThreadPoolExecutor::shutdown);
        if (ofDaemon && haveEnded(all)) {
            return;
        }
        all.forEach(ThreadPoolExecutor::shutdownNow);
        if (ofDaemon) {
            haveEnded(all);
        } else {
            all.forEach(ThreadPoolExecutor::close);
        }
    }

    /** Waits for them, a few seconds in all. */
    private static boolean haveEnded(Collection<ThreadPoolExecutor> all) {
        long deadline = System.nanoTime() + LAST_WAIT.toNanos();
        try {
            for (ThreadPoolExecutor lane : all) {
                if (!lane.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
