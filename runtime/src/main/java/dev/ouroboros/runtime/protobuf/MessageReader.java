package dev.ouroboros.runtime.protobuf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Reads one protobuf message, field by field:
 *
 * <pre>
 * while (reader.next()) {
 *     switch (reader.field()) {
 *         case 1 -> id = reader.text();
 *         default -> {}
 *     }
 * }
 * </pre>
 *
 * A value that was not asked for is skipped, so that fields of later versions do no harm. Asking for a value of another wire
 * type than the field has, and any length that leads outside of the message, is a {@link MalformedMessageException}.
 */
public final class MessageReader {
    private static final int LONGEST_VARINT = 10;

    private final ByteBuffer in;
    private int field;
    private WireType type = WireType.VARINT;
    private boolean unread;

    public MessageReader(byte[] message) {
        this(ByteBuffer.wrap(message));
    }

    private MessageReader(ByteBuffer in) {
        this.in = in;
    }

    /** Goes to the next field; false at the message's end. */
    public boolean next() throws MalformedMessageException {
        if (unread) {
            skip();
        }
        if (!in.hasRemaining()) {
            return false;
        }
        long tag = varint();
        type = WireType.of(tag);
        long number = tag >>> 3;
        if (number < 1 || number >= 1 << 29) {
            throw new MalformedMessageException("field number " + number);
        }
        field = (int) number;
        unread = true;
        return true;
    }

    /** Number of the field that {@link #next} went to. */
    public int field() {
        return field;
    }

    public long number() throws MalformedMessageException {
        take(WireType.VARINT);
        return varint();
    }

    public String text() throws MalformedMessageException {
        return StandardCharsets.UTF_8.decode(delimited()).toString();
    }

    /** A view of the value, not a copy: blobs come in large pieces. */
    public ByteBuffer bytes() throws MalformedMessageException {
        return delimited();
    }

    /** A reader of the embedded message that is this field's value. */
    public MessageReader message() throws MalformedMessageException {
        return new MessageReader(delimited());
    }

    /** Adds this field's value, one entry of a {@code map<string, string>}, to {@code map}. */
    public void entryInto(Map<String, String> map) throws MalformedMessageException {
        MessageReader entry = message();
        String key = "";
        String value = "";
        while (entry.next()) {
            switch (entry.field()) {
                case 1 -> key = entry.text();
                case 2 -> value = entry.text();
                default -> {}
            }
        }
        map.put(key, value);
    }

    private void take(WireType expected) throws MalformedMessageException {
        if (!unread || type != expected) {
            throw new MalformedMessageException("field " + field + " is " + type + ", expected " + expected);
        }
        unread = false;
    }

    private ByteBuffer delimited() throws MalformedMessageException {
        take(WireType.DELIMITED);
        long length = varint();
        if (length < 0 || length > in.remaining()) {
            throw new MalformedMessageException("field " + field + " is longer than its message");
        }
        ByteBuffer value = in.slice(in.position(), (int) length);
        in.position(in.position() + (int) length);
        return value;
    }

    private void skip() throws MalformedMessageException {
        switch (type) {
            case VARINT -> number();
            case DELIMITED -> delimited();
            case FIXED32 -> skip(Integer.BYTES);
            case FIXED64 -> skip(Long.BYTES);
        }
        unread = false;
    }

    private void skip(int bytes) throws MalformedMessageException {
        if (in.remaining() < bytes) {
            throw new MalformedMessageException("field " + field + " is longer than its message");
        }
        in.position(in.position() + bytes);
    }

    private long varint() throws MalformedMessageException {
        long value = 0;
        for (int index = 0; index < LONGEST_VARINT; index++) {
            if (!in.hasRemaining()) {
                throw new MalformedMessageException("the message ends in the middle of a number");
            }
            byte next = in.get();
            value |= (long) (next & 0x7f) << (7 * index);
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedMessageException("a number of more than " + LONGEST_VARINT + " bytes");
    }
}
