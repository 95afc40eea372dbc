package dev.ouroboros.runtime.grpc;

import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * HPACK (RFC 7541) without the dynamic table: our settings tell the server that its size is 0, and we use none, so that a header
 * block depends on no other one.
 */
final class HeaderBlock {
    private static final int INDEXED = 0x80;
    private static final int INDEXING_LITERAL = 0x40;
    private static final int TABLE_SIZE_UPDATE = 0x20;
    private static final int HUFFMAN = 0x80;

    private HeaderBlock() {}

    /** Each header as a literal that nobody shall index. */
    static byte[] encode(Map<String, String> headers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        headers.forEach((name, value) -> {
            out.write(0);
            string(out, name);
            string(out, value);
        });
        return out.toByteArray();
    }

    private static void string(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int rest = bytes.length;
        if (rest < 0x7f) {
            out.write(rest);
        } else {
            out.write(0x7f);
            rest -= 0x7f;
            while (rest >= 0x80) {
                out.write((rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            out.write(rest);
        }
        out.writeBytes(bytes);
    }

    /** The headers of a block, the last one of a name. */
    static Map<String, String> decode(ByteBuffer block) throws ProtocolException {
        Map<String, String> headers = new LinkedHashMap<>();
        while (block.hasRemaining()) {
            int first = block.get(block.position()) & 0xff;
            if ((first & INDEXED) != 0) {
                int index = integer(block, 7);
                headers.put(StaticTable.name(index), StaticTable.value(index));
            } else if ((first & INDEXING_LITERAL) != 0) {
                // An entry larger than the table is not an error: it leaves the table empty (section 4.4).
                literal(block, integer(block, 6), headers);
            } else if ((first & TABLE_SIZE_UPDATE) != 0) {
                if (integer(block, 5) != 0) {
                    throw new ProtocolException("a dynamic header table, which our settings do not allow");
                }
            } else {
                literal(block, integer(block, 4), headers);
            }
        }
        return headers;
    }

    private static void literal(ByteBuffer block, int nameIndex, Map<String, String> headers) throws ProtocolException {
        String name = nameIndex == 0 ? string(block) : StaticTable.name(nameIndex);
        headers.put(name, string(block));
    }

    private static String string(ByteBuffer block) throws ProtocolException {
        boolean huffman = block.hasRemaining() && (block.get(block.position()) & HUFFMAN) != 0;
        int length = integer(block, 7);
        if (length > block.remaining()) {
            throw new ProtocolException("a header is longer than its block");
        }
        ByteBuffer bytes = block.slice(block.position(), length);
        block.position(block.position() + length);
        return huffman
                ? Huffman.decode(bytes)
                : StandardCharsets.UTF_8.decode(bytes).toString();
    }

    /** An integer whose first bits are the last ones of an octet (section 5.1). */
    private static int integer(ByteBuffer block, int prefixBits) throws ProtocolException {
        int mask = (1 << prefixBits) - 1;
        int value = next(block) & mask;
        if (value < mask) {
            return value;
        }
        for (int shift = 0; shift <= 21; shift += 7) {
            int octet = next(block);
            value += (octet & 0x7f) << shift;
            if ((octet & 0x80) == 0) {
                return value;
            }
        }
        throw new ProtocolException("a header block with a number that is too large");
    }

    private static int next(ByteBuffer block) throws ProtocolException {
        if (!block.hasRemaining()) {
            throw new ProtocolException("a header block ends in the middle");
        }
        return block.get() & 0xff;
    }
}
