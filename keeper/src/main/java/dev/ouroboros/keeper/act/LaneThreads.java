package dev.ouroboros.keeper.act;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A virtual thread a lane. */
public final class LaneThreads implements Lanes {
    private static final Duration LAST_WAIT = Duration.ofSeconds(3);

    private final Map<String, ExecutorService> lanes = new HashMap<>();

    @Override
    public synchronized void execute(String lane, Runnable action) {
        lanes.computeIfAbsent(
                        lane,
                        name -> Executors.newSingleThreadExecutor(
                                Thread.ofVirtual().name("act-" + name).factory()))
                .execute(action);
    }

    @Override
    public synchronized void close() {
        lanes.values().forEach(ExecutorService::shutdownNow);
        for (ExecutorService lane : lanes.values()) {
            try {
                if (!lane.awaitTermination(LAST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
