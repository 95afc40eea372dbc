package dev.ouroboros.runtime.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Writes one protobuf message, field by field. As proto3 says, a field with its default value is left out; an embedded message
 * is written although it is empty, because its presence says something.
 *
 * <p>By hand, and not with generated classes: a node's daemon must be small, and it knows a dozen messages.
 *
 * @see <a href="https://protobuf.dev/programming-guides/encoding/">Protocol Buffers, Encoding</a>
 */
public final class MessageWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public MessageWriter number(int field, long value) {
        if (value != 0) {
            varint(WireType.VARINT.tag(field));
            varint(value);
        }
        return this;
    }

    public MessageWriter text(int field, String value) {
        return value.isEmpty() ? this : delimited(field, value.getBytes(StandardCharsets.UTF_8));
    }

    public MessageWriter bytes(int field, byte[] value) {
        return value.length == 0 ? this : delimited(field, value);
    }

    public MessageWriter message(int field, MessageWriter value) {
        return delimited(field, value.toBytes());
    }

    /** A {@code map<string, string>}: a repeated message of key and value. */
    public MessageWriter map(int field, Map<String, String> entries) {
        entries.forEach(
                (key, value) -> message(field, new MessageWriter().text(1, key).text(2, value)));
        return this;
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }

    private MessageWriter delimited(int field, byte[] value) {
        varint(WireType.DELIMITED.tag(field));
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write(((int) rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
