package dev.ouroboros.etcd;

import dev.ouroboros.runtime.grpc.GrpcCall;
import dev.ouroboros.runtime.grpc.GrpcConnection;
import dev.ouroboros.runtime.protobuf.MessageReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/**
 * The bytes of a snapshot out of etcd's messages, each of which says how many more come. It ends well only when that many came: a
 * server that stops in the middle is an error, not an end.
 */
final class SnapshotStream extends InputStream {
    private static final int FIELD_REMAINING = 2;
    private static final int FIELD_BLOB = 3;

    private final GrpcConnection connection;
    private final GrpcCall call;
    private final Duration patience;
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private long remaining;
    private long taken;
    private boolean over;

    private SnapshotStream(GrpcConnection connection, GrpcCall call, Duration patience) {
        this.connection = connection;
        this.call = call;
        this.patience = patience;
    }

    static SnapshotStream begin(GrpcConnection connection, GrpcCall call, Duration patience) throws IOException {
        SnapshotStream stream = new SnapshotStream(connection, call, patience);
        call.sendLast(new byte[0]);
        stream.next();
        return stream;
    }

    /** How large the database is, by what the server has said; the SHA-256 comes on top. */
    long size() {
        return taken + piece.remaining() + remaining;
    }

    /** Goes to the next message that has bytes, or to the end. */
    private void next() throws IOException {
        while (!over && !piece.hasRemaining()) {
            connection.within(patience);
            Optional<byte[]> message = call.receive();
            if (message.isEmpty()) {
                if (remaining > 0) {
                    throw new EOFException("the snapshot ends " + remaining + " bytes early");
                }
                over = true;
            } else {
                take(message.get());
            }
        }
    }

    private void take(byte[] message) throws IOException {
        MessageReader in = new MessageReader(message);
        remaining = 0;
        while (in.next()) {
            switch (in.field()) {
                case FIELD_REMAINING -> remaining = in.number();
                case FIELD_BLOB -> piece = in.bytes();
                default -> {}
            }
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        next();
        if (over) {
            return -1;
        }
        int count = Math.min(length, piece.remaining());
        piece.get(target, offset, count);
        taken += count;
        return count;
    }

    @Override
    public void close() throws IOException {
        call.close();
    }
}
