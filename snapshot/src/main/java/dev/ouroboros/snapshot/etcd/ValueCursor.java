package dev.ouroboros.snapshot.etcd;

import dev.ouroboros.snapshot.bolt.BoltFile;
import dev.ouroboros.snapshot.bolt.DamageException;

/** Reads a protobuf message where it lies in the file, so that a large value is not copied to learn its key. */
final class ValueCursor {
    private static final int LONGEST_VARINT = 10;
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED32 = 5;

    private final BoltFile file;
    private final long end;
    private long offset;
    private int field;
    private int type;

    ValueCursor(BoltFile file, long offset, long length) {
        this.file = file;
        this.offset = offset;
        this.end = offset + length;
    }

    boolean next() throws DamageException {
        if (offset >= end) {
            return false;
        }
        long tag = varint();
        if (tag >>> 3 == 0 || tag >>> 3 >= 1 << 29) {
            throw damage("has a field of number " + (tag >>> 3));
        }
        field = (int) (tag >>> 3);
        type = (int) (tag & 7);
        return true;
    }

    int field() {
        return field;
    }

    /** Behind what was read. */
    long offset() {
        return offset;
    }

    long number() throws DamageException {
        expect(VARINT);
        return varint();
    }

    byte[] bytes(int longest) throws DamageException {
        int length = skipBytes();
        if (length > longest) {
            throw damage("has a key of " + length + " bytes");
        }
        return file.bytes(offset - length, length);
    }

    /** Goes behind the bytes; how many they are. */
    int skipBytes() throws DamageException {
        expect(DELIMITED);
        long length = varint();
        if (length < 0 || length > end - offset || length > Integer.MAX_VALUE) {
            throw damage("has a field " + field + " that is longer than its record");
        }
        offset += length;
        return (int) length;
    }

    void skip() throws DamageException {
        switch (type) {
            case VARINT -> varint();
            case DELIMITED -> skipBytes();
            case FIXED64 -> offset += Long.BYTES;
            case FIXED32 -> offset += Integer.BYTES;
            default -> throw damage("has a field of the unknown wire type " + type);
        }
    }

    private void expect(int expected) throws DamageException {
        if (type != expected) {
            throw damage("has a field " + field + " of wire type " + type + " where " + expected + " is due");
        }
    }

    private long varint() throws DamageException {
        long value = 0;
        for (int index = 0; index < LONGEST_VARINT; index++) {
            if (offset >= end) {
                throw damage("ends in the middle of a number");
            }
            int next = file.unsignedByte(offset++);
            value |= (long) (next & 0x7f) << (7 * index);
            if (next < 0x80) {
                return value;
            }
        }
        throw damage("has a number of more than " + LONGEST_VARINT + " bytes");
    }

    private DamageException damage(String what) {
        return new DamageException(offset, "is no record of a key: it " + what);
    }
}
