package dev.ouroboros.snapshot.kubernetes;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads a protobuf message in memory, field by field. */
final class WireReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int DELIMITED = 2;
    static final int FIXED32 = 5;
    private static final int LONGEST_VARINT = 10;

    private final ByteBuffer in;
    private int field;
    private int type;

    WireReader(ByteBuffer message) {
        this.in = message.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean next() throws UnreadableObjectException {
        if (!in.hasRemaining()) {
            return false;
        }
        long tag = varint();
        if (tag >>> 3 == 0 || tag >>> 3 >= 1 << 29) {
            throw new UnreadableObjectException("has a field of number " + (tag >>> 3));
        }
        field = (int) (tag >>> 3);
        type = (int) (tag & 7);
        return true;
    }

    int field() {
        return field;
    }

    int type() {
        return type;
    }

    long number() throws UnreadableObjectException {
        expect(VARINT);
        return varint();
    }

    double real() throws UnreadableObjectException {
        expect(FIXED64);
        need(Double.BYTES);
        return in.getDouble();
    }

    ByteBuffer delimited() throws UnreadableObjectException {
        expect(DELIMITED);
        long length = varint();
        if (length < 0) {
            throw new UnreadableObjectException("has a field " + field + " of negative length");
        }
        need(length);
        ByteBuffer value = in.slice(in.position(), (int) length);
        in.position(in.position() + (int) length);
        return value;
    }

    String text() throws UnreadableObjectException {
        return text(delimited());
    }

    static String text(ByteBuffer bytes) throws UnreadableObjectException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw new UnreadableObjectException("has a text that is not UTF-8");
        }
    }

    void skip() throws UnreadableObjectException {
        switch (type) {
            case VARINT -> varint();
            case FIXED64 -> skip(Long.BYTES);
            case FIXED32 -> skip(Integer.BYTES);
            case DELIMITED -> delimited();
            default ->
                throw new UnreadableObjectException("has a field " + field + " of the unknown wire type " + type);
        }
    }

    private void skip(int bytes) throws UnreadableObjectException {
        need(bytes);
        in.position(in.position() + bytes);
    }

    private void expect(int expected) throws UnreadableObjectException {
        if (type != expected) {
            throw new UnreadableObjectException(
                    "has a field " + field + " of wire type " + type + " where " + expected + " is due");
        }
    }

    private void need(long bytes) throws UnreadableObjectException {
        if (bytes > in.remaining()) {
            throw new UnreadableObjectException("has a field " + field + " that is longer than what holds it");
        }
    }

    private long varint() throws UnreadableObjectException {
        long value = 0;
        for (int index = 0; index < LONGEST_VARINT; index++) {
            if (!in.hasRemaining()) {
                throw new UnreadableObjectException("ends in the middle of a number");
            }
            byte next = in.get();
            value |= (long) (next & 0x7f) << (7 * index);
            if (next >= 0) {
                return value;
            }
        }
        throw new UnreadableObjectException("has a number of more than " + LONGEST_VARINT + " bytes");
    }
}
