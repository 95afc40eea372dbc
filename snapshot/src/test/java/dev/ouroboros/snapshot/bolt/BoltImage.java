package dev.ouroboros.snapshot.bolt;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Makes bbolt files by hand, good and bad ones, of any page size. */
final class BoltImage {
    static final int LEAF = 2;
    static final int BRANCH = 1;
    private static final int HEADER = 16;
    private static final int ELEMENT = 16;

    private final int pageSize;
    private final ByteBuffer file;

    BoltImage(int pageSize, int pages) {
        this.pageSize = pageSize;
        this.file = ByteBuffer.allocate(pageSize * pages).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** @param flags 1 for a bucket */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Element(int flags, byte[] key, byte[] value) {}

    static Element entry(String key, String value) {
        return new Element(0, bytes(key), bytes(value));
    }

    static Element bucket(String name, long root) {
        return new Element(
                1,
                bytes(name),
                ByteBuffer.allocate(16)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(root)
                        .array());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    BoltImage meta(int number, long root, long transaction) {
        int at = number * pageSize;
        header(number, 4, 0, 0);
        file.putInt(at + 16, 0xED0CDAED).putInt(at + 20, 2).putInt(at + 24, pageSize);
        file.putLong(at + 32, root).putLong(at + 56, file.capacity() / pageSize).putLong(at + 64, transaction);
        long hash = 0xcbf29ce484222325L;
        for (int index = at + 16; index < at + 72; index++) {
            hash = (hash ^ (file.get(index) & 0xff)) * 0x100000001b3L;
        }
        file.putLong(at + 72, hash);
        return this;
    }

    BoltImage header(int page, int flags, int count, int overflow) {
        int at = page * pageSize;
        file.putLong(at, page)
                .putShort(at + 8, (short) flags)
                .putShort(at + 10, (short) count)
                .putInt(at + 12, overflow);
        return this;
    }

    BoltImage leaf(int page, int overflow, Element... elements) {
        header(page, LEAF, elements.length, overflow);
        int data = page * pageSize + HEADER + elements.length * ELEMENT;
        for (int index = 0; index < elements.length; index++) {
            Element element = elements[index];
            element(page, index, element.flags(), data, element.key().length, element.value().length);
            file.put(data, element.key()).put(data + element.key().length, element.value());
            data += element.key().length + element.value().length;
        }
        return this;
    }

    /** @param data where the key lies in the file */
    BoltImage element(int page, int index, int flags, int data, int keyLength, int valueLength) {
        int at = page * pageSize + HEADER + index * ELEMENT;
        file.putInt(at, flags)
                .putInt(at + 4, data - at)
                .putInt(at + 8, keyLength)
                .putInt(at + 12, valueLength);
        return this;
    }

    BoltImage branch(int page, List<Integer> children) {
        header(page, BRANCH, children.size(), 0);
        for (int index = 0; index < children.size(); index++) {
            file.putLong(page * pageSize + HEADER + index * ELEMENT + 8, children.get(index));
        }
        return this;
    }

    BoltImage put(int offset, int value) {
        file.putInt(offset, value);
        return this;
    }

    byte[] bytes() {
        return file.array();
    }
}
