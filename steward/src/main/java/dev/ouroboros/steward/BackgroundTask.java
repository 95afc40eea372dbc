package dev.ouroboros.steward;

/** One piece of work at a time on a thread of its own. Whoever calls it holds one lock for all its calls. */
final class BackgroundTask {
    private final String name;
    private final Object lock;
    private boolean working;

    /**
     * None is under way.
     *
     * @param name of its thread
     * @param lock that is held by every caller
     */
    BackgroundTask(String name, Object lock) {
        this.name = name;
        this.lock = lock;
    }

    boolean isWorking() {
        return working;
    }

    /**
     * Begins one.
     *
     * @param end what follows, however it ended, with the lock
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
