package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.Bucket;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.bolt.Damages;
import dev.ouroboros.snapshot.bolt.EntryVisitor;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** An open snapshot or database of etcd. Not for several threads. */
public final class EtcdFile implements AutoCloseable {
    private static final String KEY_SPACE = "key";
    /** The largest value that is read into memory; an API server takes no request above 3 MiB, etcd none above 1.5 unless told to. */
    private static final int LARGEST_VALUE = 4 << 20;

    private final BoltFile bolt;
    private final List<Bucket> buckets;
    private final EtcdFacts facts;
    private final Optional<Salvaged> salvaged;

    EtcdFile(BoltFile bolt, List<Bucket> buckets) {
        this.bolt = bolt;
        this.buckets = buckets;
        this.facts = new EtcdFactsReader(bolt).read(buckets);
        this.salvaged = Optional.empty();
    }

    EtcdFile(BoltFile bolt, EtcdFacts facts, Salvaged salvaged) {
        this.bolt = bolt;
        this.buckets = List.of();
        this.facts = facts;
        this.salvaged = Optional.of(salvaged);
    }

    /**
     * A key space that is not read along its tree.
     *
     * @param uncertainUpTo a key whose newest record is not later may have been deleted
     */
    record Salvaged(Consumer<EntryVisitor> keys, Salvage salvage, long uncertainUpTo) {}

    /**
     * Opens a file that is read from then on, and never written.
     *
     * @throws ProblemException when nothing of it can be read, or it is a database of something else
     */
    public static EtcdFile open(Path path) {
        BoltFile bolt = BoltFile.open(path);
        try {
            List<Bucket> buckets = bolt.buckets();
            if (buckets.stream().noneMatch(bucket -> bucket.name().equals(KEY_SPACE))) {
                notEtcd(bolt, buckets);
            }
            return new EtcdFile(bolt, buckets);
        } catch (ProblemException e) {
            bolt.close();
            throw e;
        }
    }

    /**
     * As {@link #open}; of a file whose tree of pages is broken, what its pages still hold. {@link #salvage()} says how much that
     * is.
     *
     * @throws ProblemException when there is not even that
     */
    public static EtcdFile salvage(Path path) {
        BoltFile bolt = BoltFile.openDamaged(path);
        try {
            return Salvager.open(bolt);
        } catch (ProblemException e) {
            bolt.close();
            throw e;
        }
    }

    /** How the file was salvaged; empty when it is read along its tree. */
    public Optional<Salvage> salvage() {
        return salvaged.map(Salvaged::salvage);
    }

    /** Whether the key of this record, its newest, may have been deleted, and the file does not tell. */
    public boolean mayBeDeleted(KeyRecord record) {
        return salvaged.isPresent()
                && record.revision().main() <= salvaged.get().uncertainUpTo();
    }

    /** A search for the live records of this file. */
    public LiveRecords.Search search(long atMost, long tableBytes) {
        return new LiveRecords.Search(atMost, tableBytes, salvaged.isEmpty());
    }

    private static void notEtcd(BoltFile bolt, List<Bucket> buckets) {
        if (!bolt.damages().isEmpty()) {
            throw new ProblemException(bolt.damages().problems());
        }
        throw ProblemException.of(
                ErrorCode.NOT_A_DATABASE,
                bolt.path().toString(),
                "is a bbolt database without etcd's bucket \"key\"; it has "
                        + (buckets.isEmpty()
                                ? "no buckets"
                                : "the buckets "
                                        + buckets.stream()
                                                .limit(20)
                                                .map(Bucket::name)
                                                .toList()),
                "an etcd snapshot, or the file member/snap/db of a data directory",
                "find the right file: ls -l DATA-DIR/member/snap");
    }

    public Path path() {
        return bolt.path();
    }

    public EtcdFacts facts() {
        return facts;
    }

    public Damages damages() {
        return bolt.damages();
    }

    public long fileSize() {
        return bolt.fileSize();
    }

    /** What {@code etcdctl snapshot status} prints as the total size. */
    public long databaseSize() {
        return bolt.databaseSize();
    }

    public int pageSize() {
        return bolt.pageSize();
    }

    public long transaction() {
        return bolt.transaction();
    }

    /** Whether the digest that a snapshot ends with is there and right; damage is noted. */
    public TrailingDigest digest() {
        return TrailingDigest.of(bolt);
    }

    /** Takes the records of the key space, oldest change first. */
    public interface RecordVisitor {
        /** @throws DamageException when the record makes no sense; it is noted, and the next one comes */
        void visit(KeyRecord record) throws DamageException;
    }

    /** Brings all records that can be read. Two calls bring the same ones. */
    public void records(RecordVisitor visitor) {
        storedRecords(record -> visitChange(record, visitor));
    }

    /** As {@link #records}, and what is no change of a key: etcd's index and its hash know it as one of the empty key. */
    void storedRecords(RecordVisitor visitor) {
        EntryVisitor entries = recordsOf(visitor);
        if (salvaged.isPresent()) {
            salvaged.get().keys().accept(entries);
        } else {
            keySpace().ifPresent(bucket -> bolt.walk(bucket, entries));
        }
    }

    private static void visitChange(KeyRecord record, RecordVisitor visitor) throws DamageException {
        if (!record.raisesRevision()) {
            visitor.visit(record);
        }
    }

    private EntryVisitor recordsOf(RecordVisitor visitor) {
        long[] ordinal = {0};
        return entry -> visitor.visit(KeyRecord.read(bolt, entry, ordinal[0]++));
    }

    /**
     * As {@link #records}, and the figures of {@code etcdctl snapshot status}, which need every byte of every bucket. What is salvaged has
     * no hash.
     */
    public StatusFigures status(RecordVisitor visitor) {
        if (salvaged.isPresent()) {
            records(visitor);
            Salvage salvage = salvaged.get().salvage();
            return new StatusFigures(0, salvage.newestRevision(), salvage.records());
        }
        StatusSum sum = new StatusSum(bolt);
        for (Bucket bucket : buckets) {
            boolean keys = bucket.name().equals(KEY_SPACE);
            EntryVisitor records = recordsOf(record -> {
                sum.revision(record.revision());
                visitChange(record, visitor);
            });
            sum.bucket(bucket.rawName());
            bolt.walk(bucket, entry -> {
                if (keys) {
                    records.visit(entry);
                }
                sum.entry(entry);
            });
        }
        return sum.figures();
    }

    /**
     * The hash that etcd's HashKV answers with, of the key space as it was at a revision: CRC-32C of the bucket's name, then of each
     * record's key and value, as stored. Of the records up to a compaction, those count that the revision still shows; etcd decides
     * by its index in the same way, so that it does not matter whether the others were removed already
     * (etcd 3.4 server/mvcc, HashByRev and Keep; 3.6 adds that a deletion at the compacted revision does not count, which no revision
     * shows anyway).
     *
     * @param compacted the compaction that the server answered with
     * @param live what the revision shows; etcd counts everything when that is nothing, and so agrees with this only when it is not
     */
    public long keySpaceHash(long revision, long compacted, LiveRecords live) {
        CRC32C hash = new CRC32C();
        keySpace().ifPresent(bucket -> {
            hash.update(bucket.rawName());
            long[] ordinal = {0};
            bolt.walk(bucket, entry -> {
                KeyRecord record = KeyRecord.read(bolt, entry, ordinal[0]++);
                long main = record.revision().main();
                if (main <= revision && (main > compacted || live.contains(record))) {
                    hash.update(entry.key());
                    bolt.each(entry.valueOffset(), entry.valueLength(), hash::update);
                }
            });
        });
        return hash.getValue();
    }

    private Optional<Bucket> keySpace() {
        return buckets.stream()
                .filter(bucket -> bucket.name().equals(KEY_SPACE))
                .findFirst();
    }

    public byte[] value(KeyRecord record) throws DamageException {
        if (record.valueLength() > LARGEST_VALUE) {
            throw new DamageException(
                    record.valueOffset(),
                    "has a value of " + record.valueLength() + " bytes, more than the " + LARGEST_VALUE
                            + " that are read");
        }
        return bolt.bytes(record.valueOffset(), record.valueLength());
    }

    /** @throws ProblemException when somebody wrote to the file since it was opened */
    public void checkUnchanged() {
        bolt.checkUnchanged();
    }

    @Override
    public void close() {
        bolt.close();
    }
}
