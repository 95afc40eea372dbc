package dev.ouroboros.snapshot.bolt;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;

/**
 * Goes through the tree of pages of one bucket, depth first, left to right, and past what is damaged:
 *
 * <ol>
 *   <li>A page must lie within the pages that the transaction knew and within the file, state its own number, and be a
 *       branch or a leaf. Otherwise what is below it is lost, and its siblings are read.
 *   <li>A page is visited once: a second reference (a cycle, a page that two share, pages that overlap) is damage. So the walk ends
 *       soon, whatever the file says; the memory for that is one bit a page.
 *   <li>An element must lie within its page. Otherwise it alone is lost.
 *   <li>Keys ascend. Of two neighbours that do not, the one is passed over without which the rest ascends. Where a page as a
 *       whole does not follow the one before it, that is noted, and the page is read.
 * </ol>
 */
final class BucketWalk {
    private static final int HEADER = 16;
    private static final int ELEMENT = 16;
    private static final int BRANCH = 0x01;
    private static final int LEAF = 0x02;
    /** Of a thousand million entries, a tree with two branches a page has 30 levels. */
    private static final int DEEPEST = 64;

    private static final byte[] NOTHING = {};

    private final FileView file;
    private final MetaPage meta;
    private final Damages damages;
    private final BitSet visited = new BitSet();
    private byte[] last = NOTHING;

    BucketWalk(FileView file, MetaPage meta, Damages damages) {
        this.file = file;
        this.meta = meta;
        this.damages = damages;
    }

    /** @param next index of the element to go to next */
    private record Frame(Header page, int next) {}

    /** @param offset where the page begins, {@code end} where it ends */
    private record Header(long number, long offset, long end, boolean branch, int count) {
        long element(int index) {
            return offset + HEADER + (long) index * ELEMENT;
        }
    }

    void walk(Page top, EntryVisitor visitor) {
        Deque<Frame> path = new ArrayDeque<>();
        enter(top, path, visitor);
        while (!path.isEmpty()) {
            Frame frame = path.removeLast();
            if (frame.next() < frame.page().count()) {
                path.addLast(new Frame(frame.page(), frame.next() + 1));
                long element = frame.page().element(frame.next());
                try {
                    if (element + ELEMENT > frame.page().end()) {
                        throw new DamageException(
                                element, "branch element " + frame.next() + " lies outside of its page");
                    }
                    enter(Page.of(file.unsignedLong(element + 8)), path, visitor);
                } catch (DamageException e) {
                    damages.add(
                            "page " + frame.page().number(),
                            e.what(),
                            "a reference to a page; what is below it is lost");
                }
            }
        }
    }

    private void enter(Page page, Deque<Frame> path, EntryVisitor visitor) {
        try {
            if (path.size() > DEEPEST) {
                throw new DamageException(page.number() * meta.pageSize(), "is deeper in the tree than any can be");
            }
            Header header = header(page);
            if (header.branch()) {
                path.addLast(new Frame(header, 0));
            } else {
                leaf(header, visitor);
            }
        } catch (DamageException e) {
            damages.add(
                    "page " + page.number() + ", offset " + e.offset(),
                    e.what(),
                    "a branch or leaf page of the tree; its entries are lost, all others can be read");
        }
    }

    private Header header(Page page) throws DamageException {
        long number = page.number();
        long offset = page.isInline() ? page.inlineOffset() : number * meta.pageSize();
        if (!page.isInline()) {
            if (number < 2 || number >= meta.pages() || number > Integer.MAX_VALUE) {
                throw new DamageException(0, "is not one of the " + meta.pages() + " pages");
            }
            if (offset > file.size() - HEADER) {
                throw new DamageException(
                        offset, "lies behind the end of the file at " + file.size() + ": it was cut off");
            }
            if (file.unsignedLong(offset) != number) {
                throw new DamageException(
                        offset, "says that it is page " + Long.toUnsignedString(file.unsignedLong(offset)));
            }
        }
        int flags = file.unsignedShort(offset + 8);
        if (flags != BRANCH && flags != LEAF) {
            throw new DamageException(offset + 8, "has the flags 0x" + Integer.toHexString(flags));
        }
        if (page.isInline() && flags != LEAF) {
            throw new DamageException(offset + 8, "is a branch inside of a small bucket");
        }
        long end = offset + page.length();
        if (!page.isInline()) {
            long span = file.unsignedInt(offset + 12) + 1;
            if (span > meta.pages() - number) {
                throw new DamageException(offset + 12, "spans " + span + " pages, more than there are");
            }
            visit(number, span, offset);
            end = offset + span * meta.pageSize();
        }
        return new Header(number, offset, Math.min(end, file.size()), flags == BRANCH, file.unsignedShort(offset + 10));
    }

    /** With this, no byte is read twice: a walk takes no longer than the file is large, whatever it says. */
    private void visit(long number, long span, long offset) throws DamageException {
        int taken = visited.nextSetBit((int) number);
        if (taken >= 0 && taken < number + span) {
            throw new DamageException(
                    offset, taken == number ? "is referred to more than once" : "overlaps page " + taken);
        }
        visited.set((int) number, (int) Math.min(number + span, Integer.MAX_VALUE));
    }

    private void leaf(Header page, EntryVisitor visitor) {
        byte[] before = last;
        long room = page.end() - page.offset();
        Entry held = null;
        boolean first = true;
        for (int index = 0; index < page.count(); index++) {
            Entry entry;
            try {
                entry = LeafElement.read(file, page.number(), page.offset(), page.end(), index);
                room -= ELEMENT + entry.key().length + entry.valueLength();
                if (room < 0) {
                    throw new DamageException(page.element(index), "shares its bytes with other elements");
                }
            } catch (DamageException e) {
                damages.add(
                        "page " + page.number() + ", entry " + index + ", offset " + e.offset(),
                        e.what(),
                        "an element inside of its page; it is lost, the others can be read");
                continue;
            }
            if (held != null && Arrays.compareUnsigned(held.key(), entry.key()) >= 0) {
                if (!first && Arrays.compareUnsigned(entry.key(), before) <= 0) {
                    outOfOrder(page, index);
                    continue;
                }
                outOfOrder(page, held.index());
                held = entry;
                continue;
            }
            if (held != null) {
                deliver(held, visitor);
                before = held.key();
                first = false;
            } else if (last.length > 0 && Arrays.compareUnsigned(entry.key(), last) <= 0) {
                damages.add(
                        "page " + page.number(),
                        "does not follow the page before it",
                        "keys that ascend; it is read all the same");
            }
            held = entry;
        }
        if (held != null) {
            deliver(held, visitor);
            last = held.key();
        }
    }

    private void outOfOrder(Header page, int index) {
        damages.add(
                "page " + page.number() + ", entry " + index + ", offset " + page.element(index),
                "has a key that is out of order",
                "keys that ascend; it is passed over, the others can be read");
    }

    private void deliver(Entry entry, EntryVisitor visitor) {
        try {
            visitor.visit(entry);
        } catch (DamageException e) {
            damages.add(entry.place(), e.what(), "an entry as etcd writes it; it is lost, the others can be read");
        }
    }
}
