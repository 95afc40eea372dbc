package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.Bucket;
import dev.ouroboros.snapshot.bolt.DamageException;
import dev.ouroboros.snapshot.bolt.Entry;
import dev.ouroboros.snapshot.bolt.EntryVisitor;
import dev.ouroboros.snapshot.bolt.ScannedPages;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * Reads the key space of a file whose tree of pages is broken: both meta pages, the root or a branch is lost.
 *
 * <ol>
 *   <li>bbolt writes a changed page to a new place, and the root changes with each transaction: older ones are still there. Every leaf
 *       page of the file is read, and those that look like a root, with a bucket named "key", are candidates.
 *   <li>The newest four of them by etcd's consistent index are followed. The first whose tree is whole is taken: it is what etcd
 *       held at one moment.
 *   <li>Changes later than that moment, or all when no tree is whole, are taken from leaf pages wherever they are. A change never
 *       changes: of the same revision two pages hold the same, and the newest record of a key counts, deletions too.
 *   <li>What was deleted before a compaction has left no record of its deletion in the tree, but may have left itself in freed pages. So
 *       where records up to a compaction come from leaf pages, they may be of objects that were deleted.
 *   <li>Each revision after a compaction has a record: those that have none are changes that are lost, and counted.
 * </ol>
 *
 * <p>Memory: one bit for each revision after the compaction, of which a file cannot hold more than it has room for.
 */
final class Salvager {
    private static final String KEY_SPACE = "key";
    private static final int MOST_ROOTS = 4;
    /** The revision of an empty etcd: its first change is the next. */
    private static final long FIRST = 1;

    /** No record takes less. */
    private static final int SHORTEST_RECORD = 32;

    private final BoltFile file;
    private final PriorityQueue<Root> roots = new PriorityQueue<>(Comparator.comparingLong(Root::index));
    private Optional<Root> found = Optional.empty();
    private OptionalLong compacted = OptionalLong.empty();

    private Salvager(BoltFile file) {
        this.file = file;
    }

    /** @param index etcd's consistent index */
    private record Root(long page, long index) {}

    /** A tree without damage. */
    private record Tree(long rootPage, BoltFile file, List<Bucket> buckets, Bucket keys, long newest) {
        EtcdFacts facts() {
            return new EtcdFactsReader(file).read(buckets);
        }
    }

    /**
     * What can be read of a file; everything, when it is not damaged.
     *
     * @throws ProblemException when no page with keys is left
     */
    static EtcdFile open(BoltFile file) {
        List<Bucket> buckets = file.buckets();
        if (tree(0, file).isPresent()) {
            return new EtcdFile(file, buckets);
        }
        return new Salvager(file).salvage(buckets);
    }

    private EtcdFile salvage(List<Bucket> buckets) {
        ScannedPages pages = file.scan(this::look);
        keepFound();
        Optional<Tree> whole = roots.stream()
                .sorted(Comparator.comparingLong(Root::index).reversed())
                .flatMap(root -> tree(root.page(), file.withRoot(root.page())).stream())
                .findFirst();
        EtcdFacts facts = whole.map(Tree::facts)
                .orElseGet(() -> buckets.isEmpty() ? EtcdFacts.unknown() : new EtcdFactsReader(file).read(buckets));
        long treeCompacted = facts.oldestReadable();
        if (whole.isPresent() || !buckets.isEmpty()) {
            compacted(treeCompacted);
        }
        KeySpace keys = new KeySpace(file, whole);
        Salvage salvage = count(keys, pages, whole);
        if (salvage.records() == 0) {
            throw ProblemException.of(
                    ErrorCode.NOT_A_DATABASE,
                    file.path().toString(),
                    "has no page with keys of etcd: " + pages.leaves() + " pages with entries were looked through",
                    "an etcd snapshot or database file with some page left",
                    "use another copy of the file, or an older snapshot");
        }
        boolean known = whole.isPresent() && treeCompacted >= compacted.orElse(0);
        report(salvage, known);
        OptionalLong uncertainUpTo =
                known ? OptionalLong.of(0) : compacted.isPresent() ? compacted : OptionalLong.of(Long.MAX_VALUE);
        return new EtcdFile(
                file,
                facts.withCompacted(compacted.orElse(0) > 0 ? compacted : OptionalLong.empty()),
                new EtcdFile.Salvaged(keys::walk, salvage, uncertainUpTo.getAsLong()));
    }

    /** The tree of this file, if it has a key space, and nothing of it is damaged. */
    private static Optional<Tree> tree(long root, BoltFile file) {
        List<Bucket> buckets = file.buckets();
        return buckets.stream()
                .filter(bucket -> bucket.name().equals(KEY_SPACE))
                .findFirst()
                .flatMap(keys -> {
                    long[] newest = {0};
                    boolean before = file.damages().isEmpty();
                    int damages = file.damages().problems().size();
                    file.walk(keys, entry -> {
                        KeyRecord record = KeyRecord.read(file, entry, 0);
                        newest[0] = Math.max(newest[0], record.revision().main());
                    });
                    boolean whole = before
                            ? file.damages().isEmpty()
                            : file.damages().problems().size() == damages;
                    return whole ? Optional.of(new Tree(root, file, buckets, keys, newest[0])) : Optional.empty();
                });
    }

    /** Finds roots, and what they say of compactions: of a root's buckets, "key" comes before "meta". */
    private void look(Entry entry) throws DamageException {
        if (!entry.bucket()) {
            return;
        }
        String name = text(entry.key());
        if (name.equals(KEY_SPACE)) {
            keepFound();
            found = Optional.of(new Root(entry.page(), -1));
        } else if (name.equals("meta")
                && found.filter(root -> root.page() == entry.page()).isPresent()) {
            BoltFile below = file.withRoot(entry.page());
            Bucket meta = below.bucket(entry);
            // Small as it is, it lies in the root page itself; elsewhere anything may be by now.
            if (meta.root() == 0) {
                EtcdFacts facts = new EtcdFactsReader(below).read(List.of(meta));
                found = Optional.of(
                        new Root(entry.page(), facts.consistentIndex().orElse(-1)));
                compacted(facts.oldestReadable());
            }
        }
    }

    private void keepFound() {
        found.ifPresent(roots::add);
        if (roots.size() > MOST_ROOTS) {
            roots.remove();
        }
    }

    private void compacted(long revision) {
        compacted = OptionalLong.of(Math.max(compacted.orElse(0), revision));
    }

    private Salvage count(KeySpace keys, ScannedPages pages, Optional<Tree> whole) {
        long from = Math.max(FIRST, compacted.orElse(0));
        long most = Math.min(file.fileSize() / SHORTEST_RECORD, Integer.MAX_VALUE - 1);
        BitSet seen = new BitSet();
        long[] figures = {0, 0};
        keys.walk(entry -> {
            KeyRecord record = KeyRecord.read(file, entry, 0);
            long main = record.revision().main();
            figures[0]++;
            figures[1] = Math.max(figures[1], main);
            if (main > from && main - from <= most) {
                seen.set((int) (main - from));
            }
        });
        long span = Math.max(0, figures[1] - from);
        boolean countable = compacted.isPresent() && span <= most;
        return new Salvage(
                whole.map(tree -> OptionalLong.of(tree.rootPage())).orElse(OptionalLong.empty()),
                whole.map(tree -> OptionalLong.of(tree.newest())).orElse(OptionalLong.empty()),
                pages.leaves(),
                pages.overwritten(),
                figures[0],
                figures[1],
                compacted,
                countable ? OptionalLong.of(span - seen.cardinality()) : OptionalLong.empty());
    }

    private void report(Salvage salvage, boolean deletionsKnown) {
        String tree = salvage.rootPage().isPresent()
                ? "the tree of the former root page " + salvage.rootPage().getAsLong()
                        + ", which is whole up to revision "
                        + salvage.treeRevision().orElse(0) + ", and later changes"
                : "what was found";
        file.damages()
                .add(
                        "",
                        "was salvaged: " + tree + " in " + salvage.leafPages() + " pages with entries, "
                                + salvage.overwritten()
                                + " of them no longer whole; " + salvage.records() + " records up to revision "
                                + salvage.newestRevision(),
                        "a tree of pages that is whole; changes of the last moments may be lost without a trace");
        if (salvage.missingChanges().orElse(0) > 0) {
            file.damages()
                    .add(
                            "",
                            "of " + salvage.missingChanges().getAsLong() + " changes after revision "
                                    + Math.max(
                                            FIRST, salvage.compactedRevision().orElse(0)) + " nothing is left",
                            "a record of each; what they changed is older than it was, missing, or not deleted");
        }
        if (!deletionsKnown && salvage.compactedRevision().isEmpty()) {
            file.damages()
                    .add(
                            "",
                            "no trace was found of when etcd was compacted",
                            "objects may be among these that were deleted before that, and changes may be missing");
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** What is left of it, each change at least once, in no order. */
    private record KeySpace(BoltFile file, Optional<Tree> whole) {
        void walk(EntryVisitor visitor) {
            whole.ifPresent(tree -> tree.file().walk(tree.keys(), visitor));
            long known = whole.map(Tree::newest).orElse(-1L);
            file.scan(entry -> later(entry, known, visitor));
        }

        private static void later(Entry entry, long known, EntryVisitor visitor) throws DamageException {
            if (!entry.bucket()
                    && EtcdRevision.hasLength(entry.key())
                    && EtcdRevision.read(entry.key())
                            .filter(revision -> revision.main() > known)
                            .isPresent()) {
                visitor.visit(entry);
            }
        }
    }
}
