package dev.ouroboros.runtime.grpc;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * HPACK's Huffman code (RFC 7541, appendix B). It is canonical: codes of one length are consecutive numbers in the order of their
 * symbols, and longer codes follow shorter ones. So the lengths say everything.
 */
final class Huffman {
    private static final int LONGEST = 30;
    private static final int END_OF_STRING = 256;
    private static final int MOST_PADDING_BITS = 7;

    /** Length of the code of each byte, and of the end of a string. */
    private static final byte[] LENGTHS = {
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23,
        23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22,
        22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26,
        27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27,
        26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
    };

    /** Symbols by code: those of the shortest codes first. */
    private static final short[] SYMBOLS = new short[LENGTHS.length];

    /** Per length: how many codes there are. */
    private static final int[] COUNTS = new int[LONGEST + 1];

    static {
        int next = 0;
        for (int length = 1; length <= LONGEST; length++) {
            for (int symbol = 0; symbol < LENGTHS.length; symbol++) {
                if (LENGTHS[symbol] == length) {
                    SYMBOLS[next++] = (short) symbol;
                    COUNTS[length]++;
                }
            }
        }
    }

    private Huffman() {}

    /** Number of bits of a symbol's code; tests prove the table with it. */
    static int length(int symbol) {
        return LENGTHS[symbol];
    }

    /** Decodes all remaining bytes. */
    static String decode(ByteBuffer encoded) throws ProtocolException {
        StringBuilder text = new StringBuilder();
        int code = 0;
        int length = 0;
        int first = 0;
        int index = 0;
        while (encoded.hasRemaining()) {
            int octet = encoded.get();
            for (int bit = 7; bit >= 0; bit--) {
                code = (code << 1) | ((octet >> bit) & 1);
                first <<= 1;
                length++;
                if (length > LONGEST) {
                    throw new ProtocolException("a Huffman code that does not exist");
                }
                int offset = code - first;
                if (offset < COUNTS[length]) {
                    append(text, SYMBOLS[index + offset]);
                    code = 0;
                    length = 0;
                    first = 0;
                    index = 0;
                } else {
                    index += COUNTS[length];
                    first += COUNTS[length];
                }
            }
        }
        // A string is filled up with the first bits of the end-of-string code, which are ones.
        if (length > MOST_PADDING_BITS || code != (1 << length) - 1) {
            throw new ProtocolException("a Huffman code that is cut off");
        }
        return text.toString();
    }

    private static void append(StringBuilder text, int symbol) throws ProtocolException {
        if (symbol == END_OF_STRING) {
            throw new ProtocolException("the end of a string inside of it");
        }
        text.append((char) symbol);
    }
}
