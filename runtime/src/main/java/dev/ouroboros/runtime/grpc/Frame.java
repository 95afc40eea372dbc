package dev.ouroboros.runtime.grpc;

import java.net.ProtocolException;
import java.nio.ByteBuffer;

/**
 * One HTTP/2 frame (RFC 9113, section 4).
 *
 * @param type one of the constants below, or a type that must be ignored
 * @param payload valid until the next frame is read
 */
record Frame(int type, int flags, int stream, ByteBuffer payload) {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int NO_FLAGS = 0;
    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int PRIORITY = 0x20;

    private static final int PRIORITY_BYTES = 5;

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** What a DATA or HEADERS frame carries, without padding and priority. */
    ByteBuffer content() throws ProtocolException {
        ByteBuffer content = payload.duplicate();
        int padding = 0;
        if (has(PADDED)) {
            require(content.hasRemaining());
            padding = content.get() & 0xff;
        }
        if (type == HEADERS && has(PRIORITY)) {
            require(content.remaining() >= PRIORITY_BYTES);
            content.position(content.position() + PRIORITY_BYTES);
        }
        require(content.remaining() >= padding);
        return content.limit(content.limit() - padding);
    }

    /** The payload as a 32-bit number without its highest bit: a window's increment, a last stream. */
    int number() throws ProtocolException {
        return code() & Integer.MAX_VALUE;
    }

    /** The first 32 bits of the payload, such as an error code. */
    int code() throws ProtocolException {
        require(payload.remaining() >= Integer.BYTES);
        return payload.getInt(payload.position());
    }

    private void require(boolean holds) throws ProtocolException {
        if (!holds) {
            throw new ProtocolException("an HTTP/2 frame of type " + type + " is too short");
        }
    }
}
