package dev.ouroboros.snapshot.etcd;

import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * Hashes of keys, each with a number, and with the revision that it is of where that is asked for, in an open table that doubles up to a
 * limit of its memory.
 */
final class KeyTable {
    private static final int FIRST_SLOTS = 1 << 10;
    private static final int NUMBER = 2;
    private static final int MAIN = 3;
    private static final int SUB = 4;
    private static final long EMPTY = 0;

    private final int mostSlots;
    private final int width;
    private long[] words;
    private int used;

    /** @param bytes the limit; while it doubles, the old and the new table exist, so a table takes at most two thirds of it */
    KeyTable(long bytes, boolean withRevisions) {
        this.width = withRevisions ? SUB + 1 : NUMBER + 1;
        this.words = new long[FIRST_SLOTS * width];
        long slots = Long.highestOneBit(Math.max(bytes * 2 / 3 / ((long) width * Long.BYTES), FIRST_SLOTS));
        this.mostSlots = (int) Math.min(slots, 1 << 26);
    }

    private int slots() {
        return words.length / width;
    }

    /** False when it would have to grow beyond its limit. */
    boolean hasRoomFor(long high, long low) {
        return used < slots() / 4 * 3 || slots() < mostSlots || words[find(high, low) * width + NUMBER] != EMPTY;
    }

    /** Whether the key has this revision or a later one; never when the table keeps none. */
    boolean hasSince(long high, long low, EtcdRevision revision) {
        int at = find(high, low) * width;
        return width > NUMBER + 1
                && words[at + NUMBER] != EMPTY
                && new EtcdRevision(words[at + MAIN], words[at + SUB]).compareTo(revision) >= 0;
    }

    /** Sets the number of a key; what it was, or -1. */
    long put(long high, long low, long number, EtcdRevision revision) {
        int slot = find(high, low);
        long before = words[slot * width + NUMBER] - 1;
        if (before < 0) {
            if (used >= slots() / 4 * 3) {
                rebuild(slots() * 2, hash -> true, dropped -> {});
                slot = find(high, low);
            }
            used++;
        }
        words[slot * width] = high;
        words[slot * width + 1] = low;
        words[slot * width + NUMBER] = number + 1;
        if (width > NUMBER + 1) {
            words[slot * width + MAIN] = revision.main();
            words[slot * width + SUB] = revision.sub();
        }
        return before;
    }

    /** Removes the keys whose hash is not wanted, and tells their numbers. */
    void keep(LongPredicate wanted, LongConsumer dropped) {
        rebuild(slots(), wanted, dropped);
    }

    private void rebuild(int slots, LongPredicate wanted, LongConsumer dropped) {
        long[] old = words;
        words = new long[slots * width];
        used = 0;
        for (int at = 0; at < old.length; at += width) {
            if (old[at + NUMBER] != EMPTY) {
                if (wanted.test(old[at])) {
                    int slot = find(old[at], old[at + 1]);
                    System.arraycopy(old, at, words, slot * width, width);
                    used++;
                } else {
                    dropped.accept(old[at + NUMBER] - 1);
                }
            }
        }
    }

    /** Where the key stands, or the empty slot where it would. */
    private int find(long high, long low) {
        int mask = slots() - 1;
        int slot = (int) low & mask;
        while (words[slot * width + NUMBER] != EMPTY
                && (words[slot * width] != high || words[slot * width + 1] != low)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
