package dev.ouroboros.steward;

/** A thread that does one piece of work at a time. All its callers hold the same lock for every call. */
final class BackgroundTask {
    private final String name;
    private final Object lock;
    private boolean working;

    /**
     * No work is under way yet.
     *
     * @param name of the thread
     * @param lock that every caller holds
     */
    BackgroundTask(String name, Object lock) {
        this.name = name;
        this.lock = lock;
    }

    boolean isWorking() {
        return working;
    }

    /**
     * Begins the work.
     *
     * @param end called with the lock when the work has ended, however it ended
     */
    void begin(Runnable work, Runnable end) {
        working = true;
        Thread.ofVirtual().name(name).start(() -> {
            try {
                work.run();
            } finally {
                synchronized (lock) {
                    working = false;
                    end.run();
                }
            }
        });
    }
}
