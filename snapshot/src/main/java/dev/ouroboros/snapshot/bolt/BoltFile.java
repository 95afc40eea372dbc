package dev.ouroboros.snapshot.bolt;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An open bbolt file. Opening fails only when nothing can be read of it: no bbolt file at all, or neither of its two meta
 * pages is good. All other damage goes to {@link #damages()} as it is met, and the walk goes on beside it.
 *
 * <p>Not for several threads.
 */
public final class BoltFile implements AutoCloseable {
    private static final int BUCKET_HEADER = 16;
    private static final int SMALLEST_POSITION = 1024;
    private static final int POSITIONS = 15;
    /** etcd has a dozen. */
    private static final int MOST_BUCKETS = 1000;

    private final FileView file;
    private final MetaPage meta;
    private final Damages damages;

    private BoltFile(FileView file, MetaPage meta, Damages damages) {
        this.file = file;
        this.meta = meta;
        this.damages = damages;
    }

    public static BoltFile open(Path path) {
        return open(path, (file, broken) -> {
            throw noDatabase(file, broken);
        });
    }

    /**
     * As {@link #open}, and a file without a good meta page too, as far as any page of it is left: there is no tree then, but
     * {@link #scan} reads it, and {@link #withRoot} what a root page leads to.
     */
    public static BoltFile openDamaged(Path path) {
        return open(path, BoltFile::withoutMeta);
    }

    /** What is done when no meta page is good. */
    private interface Fallback {
        MetaPage meta(FileView file, List<String> broken);
    }

    private static BoltFile open(Path path, Fallback fallback) {
        if (Files.isDirectory(path)) {
            throw ProblemException.of(
                    ErrorCode.NOT_A_DATABASE,
                    path.toString(),
                    "is a directory",
                    "a snapshot, or the file member/snap/db of a data directory",
                    "give the file: " + path.resolve("member/snap/db"));
        }
        if (!Files.exists(path)) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    path.toString(),
                    "does not exist",
                    "a snapshot file",
                    "correct the path; 'ouro snapshot save FILE' makes one");
        }
        FileView file = FileView.open(path);
        try {
            Damages damages = new Damages(path);
            return new BoltFile(file, meta(file, damages, fallback), damages);
        } catch (ProblemException e) {
            file.close();
            throw e;
        }
    }

    /** As bbolt opens a file: the good meta page of the later transaction; the second is found by trying page sizes. */
    private static MetaPage meta(FileView file, Damages damages, Fallback fallback) {
        List<String> broken = new ArrayList<>();
        Optional<MetaPage> first = tryMeta(file, 0, broken);
        Optional<MetaPage> second = first.flatMap(page -> tryMeta(file, page.pageSize(), broken));
        for (int power = 0; power <= POSITIONS && first.isEmpty() && second.isEmpty(); power++) {
            long offset = (long) SMALLEST_POSITION << power;
            if (offset + SMALLEST_POSITION <= file.size()) {
                second = tryMeta(file, offset, new ArrayList<>()).filter(page -> page.pageSize() == offset);
            }
        }
        Optional<MetaPage> newest =
                Stream.of(first, second).flatMap(Optional::stream).max(Comparator.comparingLong(MetaPage::transaction));
        if (newest.isEmpty()) {
            MetaPage made = fallback.meta(file, broken);
            broken.forEach(
                    what -> damages.add("", what, "two good meta pages; which page is the root is lost with them"));
            return made;
        }
        for (String what : broken) {
            damages.add(
                    "",
                    what,
                    "two good meta pages; what is read is transaction "
                            + newest.get().transaction() + ", the one before or after it is lost");
        }
        return newest.get();
    }

    private static Optional<MetaPage> tryMeta(FileView file, long offset, List<String> broken) {
        try {
            return Optional.of(MetaPage.read(file, offset));
        } catch (DamageException e) {
            broken.add("meta page at offset " + offset + " " + e.what());
            return Optional.empty();
        }
    }

    private static MetaPage withoutMeta(FileView file, List<String> broken) {
        int size = PageSizes.find(file).orElseThrow(() -> noDatabase(file, broken));
        return MetaPage.lost(size, (file.size() + size - 1) / size);
    }

    private static ProblemException noDatabase(FileView file, List<String> broken) {
        return ProblemException.of(
                ErrorCode.NOT_A_DATABASE,
                file.path().toString(),
                FileKind.of(file).map(kind -> "is " + kind.what()).orElseGet(() -> String.join("; ", broken)),
                "an etcd snapshot or database file (bbolt), with at least one good meta page; nothing of this one can be read",
                FileKind.of(file).map(FileKind::next).orElse(LeafScan.ADVICE));
    }

    public Path path() {
        return file.path();
    }

    public Damages damages() {
        return damages;
    }

    public long fileSize() {
        return file.size();
    }

    public int pageSize() {
        return meta.pageSize();
    }

    /** What bbolt calls the size of the database: all pages up to the last that was ever used. */
    public long databaseSize() {
        return Math.multiplyHigh(meta.pages(), meta.pageSize()) == 0 ? meta.pages() * meta.pageSize() : Long.MAX_VALUE;
    }

    public long transaction() {
        return meta.transaction();
    }

    /** All buckets in the order of their names; none when the root page is lost with both meta pages. */
    public List<Bucket> buckets() {
        if (meta.isLost()) {
            return List.of();
        }
        List<Bucket> buckets = new ArrayList<>();
        new BucketWalk(file, meta, damages).walk(Page.of(meta.root()), entry -> {
            if (!entry.bucket()) {
                throw new DamageException(entry.valueOffset(), "is no bucket, where there should be buckets only");
            }
            if (buckets.size() == MOST_BUCKETS) {
                throw new DamageException(
                        entry.valueOffset(), "is one bucket more than the " + MOST_BUCKETS + " that are read");
            }
            buckets.add(bucket(entry));
        });
        return List.copyOf(buckets);
    }

    /** The bucket that an entry of the first level stands for. */
    public Bucket bucket(Entry entry) throws DamageException {
        if (entry.valueLength() < BUCKET_HEADER) {
            throw new DamageException(entry.valueOffset(), "is a bucket without a header");
        }
        return new Bucket(
                entry.key(),
                file.unsignedLong(entry.valueOffset()),
                entry.valueOffset() + BUCKET_HEADER,
                entry.valueLength() - BUCKET_HEADER);
    }

    /** Brings all entries that can be read, in order. */
    public void walk(Bucket bucket, EntryVisitor visitor) {
        Page top =
                bucket.root() == 0 ? Page.inline(bucket.inlineOffset(), bucket.inlineLength()) : Page.of(bucket.root());
        new BucketWalk(file, meta, damages).walk(top, visitor);
    }

    /** The same file as it is below a root page: of another transaction, or one that no meta page leads to. It is closed with this one. */
    public BoltFile withRoot(long page) {
        return new BoltFile(
                file,
                meta.withRoot(page, (file.size() + meta.pageSize() - 1) / meta.pageSize()),
                new Damages(file.path()));
    }

    /** Brings the entries of all leaf pages, also of those that no tree leads to, in the order of the file. */
    public ScannedPages scan(EntryVisitor visitor) {
        return new LeafScan(file, meta.pageSize(), damages).walk(visitor);
    }

    public int unsignedByte(long offset) throws DamageException {
        return file.unsignedByte(offset);
    }

    public byte[] bytes(long offset, int length) throws DamageException {
        return file.bytes(offset, length);
    }

    /** Hands the bytes over in pieces. */
    public void each(long offset, long length, ByteSink sink) throws DamageException {
        file.each(offset, length, sink::accept);
    }

    /** Takes bytes from an array that is its own for the call only. */
    public interface ByteSink {
        void accept(byte[] array, int from, int length);
    }

    /**
     * Ends the reading of a file that a running etcd wrote to meanwhile: pages are used again, so what was read may mix two states.
     */
    public void checkUnchanged() {
        try (FileView now = FileView.open(file.path())) {
            MetaPage newest = meta(now, new Damages(file.path()), BoltFile::withoutMeta);
            if (newest.transaction() != meta.transaction() || now.size() != file.size()) {
                throw ProblemException.of(
                        ErrorCode.FILE_CHANGED,
                        file.path().toString(),
                        "was written to while it was read (transaction " + meta.transaction() + " became "
                                + newest.transaction() + ")",
                        "a file that nobody writes to",
                        "take a snapshot of a running etcd: ouro snapshot save FILE");
            }
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
