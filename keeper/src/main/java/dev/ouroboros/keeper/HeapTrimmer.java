package dev.ouroboros.keeper;

import java.util.function.LongSupplier;

/**
 * Gives memory back when the heap has grown. It grows while images and checkpoints are saved, and a serial collector makes it smaller only
 * at a full collection, which a keeper at rest never needs. One takes some 40 ms of a processor: at rest, one a minute was a tenth of all.
 */
final class HeapTrimmer implements Runnable {
    private final LongSupplier committed;
    private final Runnable collection;
    /** Bytes, after the last collection. */
    private long trimmed;

    /** @param committed bytes that the heap has of the system */
    HeapTrimmer(LongSupplier committed, Runnable collection) {
        this.committed = committed;
        this.collection = collection;
    }

    @Override
    public void run() {
        if (committed.getAsLong() > trimmed) {
            collection.run();
            trimmed = committed.getAsLong();
        }
    }
}
