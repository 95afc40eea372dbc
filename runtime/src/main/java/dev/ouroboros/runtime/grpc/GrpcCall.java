package dev.ouroboros.runtime.grpc;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One call: any number of messages there, any number back, then a status.
 *
 * <pre>
 * we:     HEADERS DATA* (END_STREAM with the last)
 * server: HEADERS DATA* HEADERS (END_STREAM, grpc-status), or one HEADERS (END_STREAM, grpc-status), or RST_STREAM
 * </pre>
 */
public final class GrpcCall implements Closeable {
    /** The largest header block that is read; gRPC's own default is 8 KiB. */
    private static final int MAX_HEADER_BLOCK = 1 << 16;

    private static final int CANCEL = 8;

    private final GrpcConnection connection;
    private final int stream;
    private final Window sendWindow;
    private final MessageAssembler messages = new MessageAssembler();
    private final ByteArrayOutputStream headerBlock = new ByteArrayOutputStream();
    private boolean headersEndStream;
    private boolean answered;
    private boolean ended;
    private boolean finished;
    private int received;
    private Optional<GrpcException> failure = Optional.empty();

    GrpcCall(GrpcConnection connection, int stream, int initialSendWindow) {
        this.connection = connection;
        this.stream = stream;
        this.sendWindow = new Window(initialSendWindow);
    }

    int stream() {
        return stream;
    }

    Window sendWindow() {
        return sendWindow;
    }

    void open(String scheme, String authority, String method, Map<String, String> metadata) throws IOException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(":method", "POST");
        headers.put(":scheme", scheme);
        headers.put(":path", method);
        headers.put(":authority", authority);
        headers.put("content-type", "application/grpc");
        headers.put("te", "trailers");
        headers.putAll(metadata);
        connection.write(Frame.HEADERS, Frame.END_HEADERS, stream, ByteBuffer.wrap(HeaderBlock.encode(headers)));
    }

    /** Sends a message; more may follow. */
    public void send(byte[] message) throws IOException {
        send(message, Frame.NO_FLAGS);
    }

    /** Sends the last message. */
    public void sendLast(byte[] message) throws IOException {
        send(message, Frame.END_STREAM);
        finished = true;
    }

    private void send(byte[] message, int lastFlags) throws IOException {
        ByteBuffer prefix = ByteBuffer.allocate(MessageAssembler.PREFIX_BYTES)
                .put((byte) 0)
                .putInt(message.length)
                .flip();
        sendData(prefix, message.length == 0 ? lastFlags : Frame.NO_FLAGS);
        sendData(ByteBuffer.wrap(message), lastFlags);
    }

    private void sendData(ByteBuffer data, int lastFlags) throws IOException {
        while (data.hasRemaining()) {
            long allowed = Math.min(sendWindow.bytes(), connection.sendWindow().bytes());
            int size = (int) Math.min(Math.min(data.remaining(), FrameChannel.MAX_PAYLOAD), allowed);
            if (ended) {
                throw failure.orElseGet(
                        () -> new GrpcException(GrpcStatus.CANCELLED, "the server ended the call early"));
            }
            if (size <= 0) {
                connection.process(this);
                continue;
            }
            ByteBuffer piece = data.slice(data.position(), size);
            data.position(data.position() + size);
            connection.write(Frame.DATA, data.hasRemaining() ? Frame.NO_FLAGS : lastFlags, stream, piece);
            sendWindow.use(size);
            connection.sendWindow().use(size);
        }
    }

    /**
     * Waits for the next message.
     *
     * @return empty when there are no more and the status is OK
     */
    public Optional<byte[]> receive() throws IOException {
        while (true) {
            Optional<byte[]> message = messages.poll();
            if (message.isPresent()) {
                return message;
            }
            if (ended) {
                if (failure.isPresent()) {
                    throw failure.get();
                }
                return Optional.empty();
            }
            connection.process(this);
        }
    }

    void process(Frame frame) throws IOException {
        switch (frame.type()) {
            case Frame.DATA -> {
                if (!answered) {
                    throw new ProtocolException("data before the headers of an answer");
                }
                messages.add(frame.content());
                count(frame.payload().remaining());
                if (frame.has(Frame.END_STREAM)) {
                    end(GrpcStatus.INTERNAL, "the answer ends without a status");
                }
            }
            case Frame.HEADERS -> {
                headersEndStream = frame.has(Frame.END_STREAM);
                collectHeaders(frame);
            }
            case Frame.CONTINUATION -> collectHeaders(frame);
            case Frame.RST_STREAM ->
                end(GrpcStatus.UNAVAILABLE, "the server reset the call with HTTP/2 error " + frame.code());
            case Frame.WINDOW_UPDATE -> sendWindow.grow(frame.number());
            case Frame.PUSH_PROMISE -> throw new ProtocolException("a push, which our settings do not allow");
            default -> {} // what we do not know must be ignored (RFC 9113, section 4.1)
        }
    }

    private void collectHeaders(Frame frame) throws IOException {
        ByteBuffer piece = frame.content();
        if (headerBlock.size() + piece.remaining() > MAX_HEADER_BLOCK) {
            throw new ProtocolException("more than " + MAX_HEADER_BLOCK + " bytes of headers");
        }
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        headerBlock.writeBytes(bytes);
        if (frame.has(Frame.END_HEADERS)) {
            Map<String, String> headers = HeaderBlock.decode(ByteBuffer.wrap(headerBlock.toByteArray()));
            headerBlock.reset();
            apply(headers);
        }
    }

    private void apply(Map<String, String> headers) throws IOException {
        if (!answered) {
            String status = headers.getOrDefault(":status", "");
            if (!status.equals("200")) {
                throw new ProtocolException("HTTP status '" + status + "': the server does not speak gRPC");
            }
            answered = true;
        }
        if (!headersEndStream) {
            return;
        }
        String status = headers.getOrDefault("grpc-status", "");
        if (status.isEmpty()) {
            end(GrpcStatus.INTERNAL, "the answer ends without a status");
        } else {
            end(GrpcStatus.of(status), decodePercent(headers.getOrDefault("grpc-message", "")));
        }
    }

    private void end(GrpcStatus status, String message) {
        ended = true;
        if (status != GrpcStatus.OK) {
            failure = Optional.of(new GrpcException(status, message));
        } else if (messages.isCutOff()) {
            failure = Optional.of(new GrpcException(GrpcStatus.INTERNAL, "the answer ends in the middle of a message"));
        }
    }

    private static String decodePercent(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text; // a server that does not encode: its words are still the best there is
        }
    }

    private void count(int bytes) throws IOException {
        received += bytes;
        if (received >= GrpcConnection.receiveWindow() / 2) {
            connection.grantWindow(stream, received);
            received = 0;
        }
    }

    /** Gives up what the server has not answered yet. */
    @Override
    public void close() throws IOException {
        if (!ended || !finished) {
            ended = true;
            connection.write(
                    Frame.RST_STREAM,
                    Frame.NO_FLAGS,
                    stream,
                    ByteBuffer.allocate(Integer.BYTES).putInt(CANCEL).flip());
        }
    }
}
