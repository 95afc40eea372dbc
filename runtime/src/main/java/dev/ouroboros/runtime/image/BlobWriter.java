package dev.ouroboros.runtime.image;

import dev.ouroboros.runtime.grpc.GrpcCall;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.Arrays;

/** Writes blobs into containerd: piece by piece, each one acknowledged, and committed only when the digest is right. */
final class BlobWriter {
    private static final int PIECE = 1 << 18;
    private static final int ACTION_WRITE = 1;
    private static final int ACTION_COMMIT = 2;

    private final ContainerdSession session;

    BlobWriter(ContainerdSession session) {
        this.session = session;
    }

    /** Writes a blob that is not there yet, and leaves alone one that is. */
    void write(Descriptor blob, InputStream content) throws IOException {
        String reference = "ouroboros-" + blob.digest();
        session.abortWrite(reference);
        try (GrpcCall call = session.writeContent()) {
            send(call, blob, reference, content);
        } catch (GrpcException e) {
            if (e.status() != GrpcStatus.ALREADY_EXISTS) {
                throw e;
            }
        }
    }

    private void send(GrpcCall call, Descriptor blob, String reference, InputStream content) throws IOException {
        BlobDigest sum = new BlobDigest();
        byte[] buffer = new byte[(int) Math.min(PIECE, Math.max(1, blob.size()))];
        long offset = 0;
        int read;
        while ((read = content.readNBytes(buffer, 0, buffer.length)) > 0) {
            sum.add(buffer, 0, read);
            MessageWriter piece = message(ACTION_WRITE, blob, reference, offset)
                    .bytes(6, read == buffer.length ? buffer : Arrays.copyOf(buffer, read));
            session.renew();
            call.send(piece.toBytes());
            offset += read;
            awaitAnswer(call, ACTION_WRITE, offset);
        }
        if (!sum.isExactly(blob)) {
            throw new DamagedArchiveException("its content of " + blob.digest() + " has another digest");
        }
        session.renew();
        call.sendLast(message(ACTION_COMMIT, blob, reference, offset).toBytes());
        awaitAnswer(call, ACTION_COMMIT, offset);
        while (call.receive().isPresent()) {
            session.renew(); // containerd sends the last answer twice; what counts is the status that follows
        }
    }

    private static MessageWriter message(int action, Descriptor blob, String reference, long offset) {
        return new MessageWriter()
                .number(1, action)
                .text(2, reference)
                .number(3, blob.size())
                .text(4, blob.digest())
                .number(5, offset);
    }

    private static void awaitAnswer(GrpcCall call, int action, long offset) throws IOException {
        byte[] answer =
                call.receive().orElseThrow(() -> new ProtocolException("containerd ended the writing of a blob early"));
        MessageReader reader = new MessageReader(answer);
        long answeredAction = 0;
        long answeredOffset = 0;
        while (reader.next()) {
            switch (reader.field()) {
                case 1 -> answeredAction = reader.number();
                case 4 -> answeredOffset = reader.number();
                default -> {}
            }
        }
        if (answeredAction != action || answeredOffset != offset) {
            throw new ProtocolException(
                    "containerd has written up to byte " + answeredOffset + " of a blob, not " + offset);
        }
    }
}
