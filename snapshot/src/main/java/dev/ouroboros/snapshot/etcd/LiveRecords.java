package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.model.digest.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;

/**
 * Which records are the newest of their key, and no deletion: what etcd would answer with.
 *
 * <p>The key space is ordered by revision, but for one that is salvaged; the newest record of a key is known at the end only. A table keeps, for each key met, the
 * ordinal of its newest record so far; one bit a record says whether it is live. Keys stand in the table by the first
 * 128 bits of their SHA-256.
 *
 * <p>The table has a limit. When it is full, the half of the keys whose next bit of the hash is 1 leaves it and waits for a
 * pass of its own, which may split again: a file of any size is read within the limit, in more passes.
 *
 * <p>Memory: the limit, and one bit for each record in the file.
 */
public final class LiveRecords {
    private static final int TABLE_PART = 4;

    private final BitSet live;
    private final long count;

    private LiveRecords(BitSet live) {
        this.live = live;
        this.count = live.cardinality();
    }

    /** Whether the record, at the revision that was asked for, is what its key has. */
    public boolean contains(KeyRecord record) {
        return record.ordinal() <= Integer.MAX_VALUE && live.get((int) record.ordinal());
    }

    /** How many keys have a value. */
    public long count() {
        return count;
    }

    /** The limit of the table where nothing else is said: a part of the heap. */
    public static long tableBytes() {
        return Runtime.getRuntime().maxMemory() / TABLE_PART;
    }

    /**
     * Finds them in a file, in as many passes as the limit demands.
     *
     * @param atMost records of later revisions are left out
     * @param tableBytes the limit of the table
     */
    public static LiveRecords find(EtcdFile file, long atMost, long tableBytes) {
        Search search = file.search(atMost, tableBytes);
        while (search.beginPass()) {
            file.storedRecords(search::take);
        }
        return search.result();
    }

    /** The search in steps, for a caller who has something else to do with the records of the first pass. */
    public static final class Search {
        private static final int LONGEST_PREFIX = 62;

        private final BitSet live = new BitSet();
        private final Deque<Part> waiting = new ArrayDeque<>();
        private final long atMost;
        private final long tableBytes;
        private final boolean inOrder;
        private final MessageDigest digest;
        private KeyTable table;
        private Part part = new Part(0, 0);

        /** The keys whose hash begins with these bits. */
        private record Part(long bits, int length) {
            boolean contains(long hash) {
                return length == 0 || hash >>> (Long.SIZE - length) == bits;
            }

            Part half(int bit) {
                return new Part(bits << 1 | bit, length + 1);
            }
        }

        /** @param inOrder whether records come by revision; otherwise each key's is kept with it, and copies may come */
        Search(long atMost, long tableBytes, boolean inOrder) {
            this.atMost = atMost;
            this.tableBytes = tableBytes;
            this.inOrder = inOrder;
            this.table = new KeyTable(tableBytes, !inOrder);
            this.waiting.add(part);
            this.digest = Sha256.begin();
        }

        /** Whether all records must be brought (once more). */
        public boolean beginPass() {
            if (waiting.isEmpty()) {
                return false;
            }
            part = waiting.removeLast();
            table = new KeyTable(tableBytes, !inOrder);
            return true;
        }

        public void take(KeyRecord record) {
            if (record.revision().main() > atMost) {
                return;
            }
            if (record.ordinal() > Integer.MAX_VALUE) {
                throw new IllegalStateException("an etcd database has no more than 100 GB, so fewer than 2^31 records");
            }
            ByteBuffer hash = ByteBuffer.wrap(digest.digest(record.key()));
            long high = hash.getLong();
            long low = hash.getLong();
            if (!part.contains(high)) {
                return;
            }
            while (!table.hasRoomFor(high, low) && part.length() < LONGEST_PREFIX) {
                split();
                if (!part.contains(high)) {
                    return;
                }
            }
            if (table.hasSince(high, low, record.revision())) {
                return;
            }
            long before = table.put(high, low, record.ordinal(), record.revision());
            if (before >= 0) {
                live.clear((int) before);
            }
            if (!record.tombstone()) {
                live.set((int) record.ordinal());
            }
        }

        private void split() {
            waiting.addLast(part.half(1));
            part = part.half(0);
            table.keep(part::contains, ordinal -> live.clear((int) ordinal));
        }

        public LiveRecords result() {
            return new LiveRecords(live);
        }
    }
}
