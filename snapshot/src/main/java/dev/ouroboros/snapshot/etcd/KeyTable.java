package dev.ouroboros.snapshot.etcd;

import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** Hashes of keys, each with a number, in an open table that doubles up to a limit of its memory. */
final class KeyTable {
    private static final int FIRST_SLOTS = 1 << 10;
    private static final int WORDS = 3;
    private static final long EMPTY = 0;

    private final int mostSlots;
    private long[] words = new long[FIRST_SLOTS * WORDS];
    private int used;

    /** @param bytes the limit; while it doubles, the old and the new table exist, so a table takes at most two thirds of it */
    KeyTable(long bytes) {
        long slots = Long.highestOneBit(Math.max(bytes * 2 / 3 / (WORDS * Long.BYTES), FIRST_SLOTS));
        this.mostSlots = (int) Math.min(slots, 1 << 26);
    }

    private int slots() {
        return words.length / WORDS;
    }

    /** False when it would have to grow beyond its limit. */
    boolean hasRoomFor(long high, long low) {
        return used < slots() / 4 * 3 || slots() < mostSlots || words[find(high, low) * WORDS + 2] != EMPTY;
    }

    /** Sets the number of a key; what it was, or -1. */
    long put(long high, long low, long number) {
        int slot = find(high, low);
        long before = words[slot * WORDS + 2] - 1;
        if (before < 0) {
            if (used >= slots() / 4 * 3) {
                rebuild(slots() * 2, hash -> true, dropped -> {});
                slot = find(high, low);
            }
            used++;
        }
        words[slot * WORDS] = high;
        words[slot * WORDS + 1] = low;
        words[slot * WORDS + 2] = number + 1;
        return before;
    }

    /** Removes the keys whose hash is not wanted, and tells their numbers. */
    void keep(LongPredicate wanted, LongConsumer dropped) {
        rebuild(slots(), wanted, dropped);
    }

    private void rebuild(int slots, LongPredicate wanted, LongConsumer dropped) {
        long[] old = words;
        words = new long[slots * WORDS];
        used = 0;
        for (int at = 0; at < old.length; at += WORDS) {
            if (old[at + 2] != EMPTY) {
                if (wanted.test(old[at])) {
                    int slot = find(old[at], old[at + 1]);
                    System.arraycopy(old, at, words, slot * WORDS, WORDS);
                    used++;
                } else {
                    dropped.accept(old[at + 2] - 1);
                }
            }
        }
    }

    /** Where the key stands, or the empty slot where it would. */
    private int find(long high, long low) {
        int mask = slots() - 1;
        int slot = (int) low & mask;
        while (words[slot * WORDS + 2] != EMPTY && (words[slot * WORDS] != high || words[slot * WORDS + 1] != low)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
