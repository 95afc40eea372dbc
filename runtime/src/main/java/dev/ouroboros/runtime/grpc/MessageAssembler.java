package dev.ouroboros.runtime.grpc;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/** Puts gRPC messages together again, which DATA frames carry in pieces: a byte of flags, four of length, the message. */
final class MessageAssembler {
    static final int PREFIX_BYTES = 5;

    /** More than a kubelet's list of a full node, and what a small daemon's memory can bear. */
    static final int MAX_MESSAGE = 8 << 20;

    private final ByteBuffer prefix = ByteBuffer.allocate(PREFIX_BYTES);
    private final Queue<byte[]> complete = new ArrayDeque<>();
    private ByteBuffer message = ByteBuffer.allocate(0);

    void add(ByteBuffer data) throws ProtocolException {
        while (data.hasRemaining()) {
            if (prefix.hasRemaining()) {
                move(data, prefix);
                if (!prefix.hasRemaining()) {
                    begin();
                }
            } else {
                move(data, message);
            }
            if (!prefix.hasRemaining() && !message.hasRemaining()) {
                complete.add(message.array());
                prefix.clear();
            }
        }
    }

    Optional<byte[]> poll() {
        return Optional.ofNullable(complete.poll());
    }

    /** Whether a message has begun that is not complete. */
    boolean isCutOff() {
        return prefix.position() > 0;
    }

    private void begin() throws ProtocolException {
        int length = prefix.getInt(1);
        if (prefix.get(0) != 0) {
            throw new ProtocolException("a compressed message, which was not asked for");
        }
        if (length < 0 || length > MAX_MESSAGE) {
            throw new ProtocolException("a message of " + Integer.toUnsignedString(length) + " bytes, at most "
                    + MAX_MESSAGE + " are read");
        }
        message = ByteBuffer.allocate(length);
    }

    private static void move(ByteBuffer from, ByteBuffer to) {
        int length = Math.min(from.remaining(), to.remaining());
        to.put(from.slice(from.position(), length));
        from.position(from.position() + length);
    }
}
