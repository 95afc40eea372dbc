package dev.ouroboros.snapshot.bolt;

/**
 * Reads every leaf page of a file, whether a tree leads to it or not: also those that bbolt has freed and not used again, which hold
 * older states.
 *
 * <p>bbolt frees a page of several, and may use its rest for others. Where within a page's length another one begins, the elements up
 * to there are read, and those behind are counted as gone. So no byte is read for two pages, and a scan takes no longer than the file is
 * large, whatever it says.
 */
final class LeafScan {
    /** How people come here. */
    static final String ADVICE = "ouro snapshot inspect FILE --salvage, which looks for pages that are left";

    private static final int BRANCH = 0x01;
    private static final int LEAF = 0x02;
    private static final int META = 0x04;
    private static final int FREE_LIST = 0x10;

    private final FileView file;
    private final int pageSize;
    private final long pages;
    private final Damages damages;
    private long leafPages;
    private long overwritten;

    LeafScan(FileView file, int pageSize, Damages damages) {
        this.file = file;
        this.pageSize = pageSize;
        this.pages = (file.size() + pageSize - 1) / pageSize;
        this.damages = damages;
    }

    /** Whether a page of this number begins here. */
    static boolean isHeader(FileView file, long offset, long number) throws DamageException {
        if (offset > file.size() - LeafElement.HEADER || file.unsignedLong(offset) != number) {
            return false;
        }
        int flags = file.unsignedShort(offset + 8);
        return flags == BRANCH || flags == LEAF || flags == META || flags == FREE_LIST;
    }

    ScannedPages walk(EntryVisitor visitor) {
        try {
            long number = 0;
            while (number < pages) {
                number = isHeader(file, number * pageSize, number) ? page(number, visitor) : number + 1;
            }
        } catch (DamageException e) {
            throw new IllegalStateException("headers are looked for within the file", e);
        }
        return new ScannedPages(leafPages, overwritten);
    }

    /** Reads the page, if it is a leaf; where to go on. */
    private long page(long number, EntryVisitor visitor) throws DamageException {
        long offset = number * pageSize;
        if (file.unsignedShort(offset + 8) != LEAF) {
            return number + 1;
        }
        long stated = number + 1 + file.unsignedInt(offset + 12);
        long next = number + 1;
        while (next < Math.min(stated, pages) && !isHeader(file, next * pageSize, next)) {
            next++;
        }
        leafPages++;
        boolean cut = next < stated;
        overwritten += cut ? 1 : 0;
        elements(number, Math.min(next * pageSize, file.size()), cut, visitor);
        return next;
    }

    private void elements(long number, long end, boolean cut, EntryVisitor visitor) throws DamageException {
        long offset = number * pageSize;
        int count = file.unsignedShort(offset + 10);
        long room = end - offset;
        for (int index = 0; index < count; index++) {
            try {
                Entry entry = LeafElement.read(file, number, offset, end, index);
                room -= LeafElement.LENGTH + entry.key().length + entry.valueLength();
                if (room < 0) {
                    throw new DamageException(entry.valueOffset(), "shares its bytes with other elements");
                }
                visitor.visit(entry);
            } catch (DamageException e) {
                if (!cut) {
                    damages.add(
                            "page " + number + ", entry " + index + ", offset " + e.offset(),
                            e.what(),
                            "an element as etcd writes it; it is lost, the others can be read");
                }
            }
        }
    }
}
