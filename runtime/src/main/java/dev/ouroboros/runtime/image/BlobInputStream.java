package dev.ouroboros.runtime.image;

import dev.ouroboros.runtime.grpc.GrpcCall;
import dev.ouroboros.runtime.protobuf.MessageReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A blob of containerd's, asked for when it is first read, and proven by its digest before its end is told. */
final class BlobInputStream extends InputStream {
    private final ContainerdSession session;
    private final Descriptor blob;
    private final BlobDigest sum = new BlobDigest();
    private Optional<GrpcCall> call = Optional.empty();
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private boolean ended;

    BlobInputStream(ContainerdSession session, Descriptor blob) {
        this.session = session;
        this.blob = blob;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (!piece.hasRemaining() && !ended) {
            nextPiece();
        }
        if (!piece.hasRemaining()) {
            return -1;
        }
        int size = Math.min(length, piece.remaining());
        piece.get(target, offset, size);
        sum.add(target, offset, size);
        return size;
    }

    private void nextPiece() throws IOException {
        if (call.isEmpty()) {
            call = Optional.of(session.readContent(blob));
        }
        session.renew();
        Optional<byte[]> message = call.get().receive();
        if (message.isEmpty()) {
            ended = true;
            if (!sum.isExactly(blob)) {
                throw new ProtocolException("containerd's content of " + blob.digest() + " is damaged");
            }
            return;
        }
        MessageReader response = new MessageReader(message.get());
        while (response.next()) {
            if (response.field() == 2) {
                piece = response.bytes();
            }
        }
    }

    @Override
    public void close() throws IOException {
        ended = true;
        if (call.isPresent()) {
            call.get().close();
            call = Optional.empty();
        }
    }
}
