package dev.ouroboros.snapshot.bolt;

/**
 * One of the two pages that say where a transaction left the file.
 *
 * @param number 0 or 1
 * @param root page of the bucket of buckets
 * @param pages how many pages the transaction knew: all that it refers to are below
 */
record MetaPage(int number, int pageSize, long root, long pages, long transaction) {
    private static final int HEADER = 16;
    private static final int CHECKED = 56;
    private static final long MAGIC = 0xED0CDAEDL;
    private static final long MAGIC_REVERSED = 0xEDDA0CEDL;
    private static final int VERSION = 2;
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    static final int SMALLEST_PAGE = 512;
    static final int LARGEST_PAGE = 16 << 20;

    /** In the place of both, when they are lost: no page is the root. */
    static MetaPage lost(int pageSize, long pages) {
        return new MetaPage(0, pageSize, 0, pages, 0);
    }

    boolean isLost() {
        return root == 0;
    }

    MetaPage withRoot(long page, long known) {
        return new MetaPage(number, pageSize, page, known, transaction);
    }

    /** The one at this offset. */
    static MetaPage read(FileView file, long offset) throws DamageException {
        long at = offset + HEADER;
        long magic = file.unsignedInt(at);
        if (magic == MAGIC_REVERSED) {
            throw new DamageException(at, "was written by a machine of the other byte order");
        }
        if (magic != MAGIC) {
            throw new DamageException(at, "does not begin with bbolt's mark");
        }
        long version = file.unsignedInt(at + 4);
        if (version != VERSION) {
            throw new DamageException(at + 4, "is of bbolt's format " + version + ", known is " + VERSION);
        }
        long hash = FNV_OFFSET;
        for (byte next : file.bytes(at, CHECKED)) {
            hash = (hash ^ (next & 0xff)) * FNV_PRIME;
        }
        if (hash != file.unsignedLong(at + CHECKED)) {
            throw new DamageException(at + CHECKED, "does not have the checksum that it states");
        }
        long pageSize = file.unsignedInt(at + 8);
        if (pageSize < SMALLEST_PAGE || pageSize > LARGEST_PAGE || Long.bitCount(pageSize) != 1) {
            throw new DamageException(at + 8, "states a page size of " + pageSize);
        }
        return new MetaPage(
                (int) (offset / pageSize),
                (int) pageSize,
                file.unsignedLong(at + 16),
                file.unsignedLong(at + 40),
                file.unsignedLong(at + 48));
    }
}
