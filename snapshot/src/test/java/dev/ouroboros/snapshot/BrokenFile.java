package dev.ouroboros.snapshot;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A real file, whose pages are lost on purpose. */
public final class BrokenFile {
    private static final int HEADER = 16;
    private static final int ELEMENT = 16;
    private static final int BRANCH = 1;
    private static final int LEAF = 2;
    private static final int META_ROOT = 32;
    private static final int META_TRANSACTION = 64;
    private static final int META_PAGE_SIZE = 24;

    private final ByteBuffer bytes;
    private final int pageSize;

    public BrokenFile(byte[] good) {
        this.bytes = ByteBuffer.wrap(good.clone()).order(ByteOrder.LITTLE_ENDIAN);
        this.pageSize = bytes.getInt(META_PAGE_SIZE);
    }

    public byte[] bytes() {
        return bytes.array();
    }

    private int pages() {
        return bytes.capacity() / pageSize;
    }

    private boolean is(int page, int flags) {
        return bytes.getLong(page * pageSize) == page && bytes.getShort(page * pageSize + 8) == flags;
    }

    private int newestMeta() {
        return bytes.getLong(META_TRANSACTION) > bytes.getLong(pageSize + META_TRANSACTION) ? 0 : 1;
    }

    int root() {
        return (int) bytes.getLong(newestMeta() * pageSize + META_ROOT);
    }

    /** The first page of the bucket of keys. */
    int keys() {
        return bucketOf(root());
    }

    /** Where the bucket of keys begins, as this page says; 0 when it says nothing of it. */
    private int bucketOf(int page) {
        int count = bytes.getShort(page * pageSize + 10);
        for (int index = 0; index < count; index++) {
            int element = page * pageSize + HEADER + index * ELEMENT;
            int key = element + bytes.getInt(element + 4);
            int length = bytes.getInt(element + 8);
            if (bytes.getInt(element) == 1
                    && new String(bytes.array(), key, length, StandardCharsets.UTF_8).equals("key")) {
                return (int) bytes.getLong(key + length);
            }
        }
        return 0;
    }

    List<Integer> branches() {
        return all(BRANCH);
    }

    List<Integer> leaves() {
        return all(LEAF);
    }

    private List<Integer> all(int flags) {
        List<Integer> found = new ArrayList<>();
        for (int page = 2; page < pages(); page++) {
            if (is(page, flags)) {
                found.add(page);
            }
        }
        return found;
    }

    public BrokenFile withoutMetas() {
        return without(0).without(1);
    }

    BrokenFile without(int page) {
        Arrays.fill(bytes.array(), page * pageSize, (page + 1) * pageSize, (byte) 0xee);
        return this;
    }

    /** Only leaf pages with keys are left. */
    public BrokenFile withoutAnyTree() {
        withoutMetas();
        branches().forEach(this::without);
        leaves().stream().filter(page -> bucketOf(page) > 0).forEach(this::without);
        return this;
    }
}
