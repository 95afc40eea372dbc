package dev.ouroboros.snapshot.bolt;

/** One element of a leaf page. */
final class LeafElement {
    static final int HEADER = 16;
    static final int LENGTH = 16;
    private static final int BUCKET_FLAG = 0x01;
    private static final int LONGEST_KEY = 32768;

    private LeafElement() {}

    /**
     * The entry that it describes.
     *
     * @param offset where its page begins, {@code end} where that ends
     */
    static Entry read(FileView file, long page, long offset, long end, int index) throws DamageException {
        long element = offset + HEADER + (long) index * LENGTH;
        if (element + LENGTH > end) {
            throw new DamageException(element, "leaf element lies outside of its page");
        }
        long flags = file.unsignedInt(element);
        long position = file.unsignedInt(element + 4);
        long keyLength = file.unsignedInt(element + 8);
        long valueLength = file.unsignedInt(element + 12);
        if (flags > BUCKET_FLAG) {
            throw new DamageException(element, "has the unknown flags 0x" + Long.toHexString(flags));
        }
        long key = element + position;
        if (position < LENGTH || key + keyLength + valueLength > end) {
            throw new DamageException(element, "points outside of its page");
        }
        if (keyLength == 0 || keyLength > LONGEST_KEY) {
            throw new DamageException(element + 8, "has a key of " + keyLength + " bytes");
        }
        return new Entry(
                file.bytes(key, (int) keyLength), key + keyLength, valueLength, flags == BUCKET_FLAG, page, index);
    }
}
