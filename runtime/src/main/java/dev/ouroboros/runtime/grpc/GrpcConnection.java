package dev.ouroboros.runtime.grpc;

import java.io.Closeable;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A connection to a gRPC server, mostly one on this machine, for one thread that makes one call after another. A connection is cheap here and
 * is not kept: then there is none that broke meanwhile, and a server that was restarted is found again by the next one.
 *
 * <p>All methods throw {@link GrpcException} when the server ends a call with another status than OK or the time is over, and
 * other {@link IOException}s when the socket cannot be reached or does not speak HTTP/2. A connection that failed with one of
 * the latter, or by time, must be closed.
 */
public final class GrpcConnection implements Closeable {
    /** How much a server may send before we say that we have read it. */
    private static final int RECEIVE_WINDOW = 1 << 20;

    /** What it is in the protocol before anybody says otherwise. */
    private static final int DEFAULT_WINDOW = 65_535;

    private static final short SETTING_HEADER_TABLE_SIZE = 1;
    private static final short SETTING_ENABLE_PUSH = 2;
    private static final short SETTING_INITIAL_WINDOW_SIZE = 4;
    private static final int SETTING_BYTES = 6;

    private final FrameChannel frames;
    private final String scheme;
    private final String authority;
    private final Window sendWindow = new Window(DEFAULT_WINDOW);
    private int initialSendWindow = DEFAULT_WINDOW;
    private int received;
    private int nextStream = 1;
    private int lastStreamServed = Integer.MAX_VALUE;
    private boolean greeted;

    private GrpcConnection(FrameChannel frames, String scheme, String authority) {
        this.frames = frames;
        this.scheme = scheme;
        this.authority = authority;
    }

    /**
     * Connects to a server.
     *
     * @param limit for all that is done with the connection, until {@link #within} says otherwise
     */
    public static GrpcConnection open(Path socket, Duration limit) throws IOException {
        return greet(new GrpcConnection(FrameChannel.open(socket, limit), "http", "localhost"));
    }

    /**
     * Speaks gRPC on a connection over TLS, which has agreed on HTTP/2 and is closed with this one.
     *
     * @param channel whose {@code close} ends a read that another thread waits in
     * @param authority host and port of the server
     * @param limit as in {@link #open}
     */
    public static GrpcConnection overTls(ByteChannel channel, String authority, Duration limit) throws IOException {
        return greet(new GrpcConnection(FrameChannel.over(channel, limit), "https", authority));
    }

    private static GrpcConnection greet(GrpcConnection connection) throws IOException {
        ByteBuffer settings = ByteBuffer.allocate(3 * SETTING_BYTES)
                .putShort(SETTING_HEADER_TABLE_SIZE)
                .putInt(0)
                .putShort(SETTING_ENABLE_PUSH)
                .putInt(0)
                .putShort(SETTING_INITIAL_WINDOW_SIZE)
                .putInt(RECEIVE_WINDOW);
        connection.write(Frame.SETTINGS, Frame.NO_FLAGS, 0, settings.flip());
        connection.grantWindow(0, RECEIVE_WINDOW - DEFAULT_WINDOW);
        return connection;
    }

    /** From now on, all that is done with the connection may take this long. */
    public void within(Duration limit) {
        frames.within(limit);
    }

    /** One request, one response. */
    public byte[] call(String method, byte[] request, Map<String, String> metadata) throws IOException {
        try (GrpcCall call = start(method, metadata)) {
            call.sendLast(request);
            byte[] response = call.receive()
                    .orElseThrow(() -> new GrpcException(GrpcStatus.INTERNAL, method + " was answered with nothing"));
            if (call.receive().isPresent()) {
                throw new GrpcException(GrpcStatus.INTERNAL, method + " was answered twice");
            }
            return response;
        }
    }

    /**
     * Starts a call with any number of requests and responses, to be closed before the next call is started.
     *
     * @param method for example {@code /runtime.v1.RuntimeService/Version}
     * @param metadata additional headers, with lower-case names
     */
    public GrpcCall start(String method, Map<String, String> metadata) throws IOException {
        int stream = nextStream;
        nextStream += 2;
        requireServed(stream);
        GrpcCall call = new GrpcCall(this, stream, initialSendWindow);
        call.open(scheme, authority, method, metadata);
        return call;
    }

    void write(int type, int flags, int stream, ByteBuffer payload) throws IOException {
        frames.write(type, flags, stream, payload);
    }

    void grantWindow(int stream, int bytes) throws IOException {
        frames.write(
                Frame.WINDOW_UPDATE,
                Frame.NO_FLAGS,
                stream,
                ByteBuffer.allocate(Integer.BYTES).putInt(bytes).flip());
    }

    Window sendWindow() {
        return sendWindow;
    }

    static int receiveWindow() {
        return RECEIVE_WINDOW;
    }

    /** Reads one frame and gives it to whom it concerns: the connection, the call, or nobody when its call is over. */
    void process(GrpcCall call) throws IOException {
        Frame frame = frames.read();
        if (!greeted) {
            if (frame.type() != Frame.SETTINGS || frame.stream() != 0) {
                throw new ProtocolException("the server does not greet with HTTP/2 settings");
            }
            greeted = true;
        }
        if (frame.type() == Frame.DATA) {
            count(frame.payload().remaining());
        }
        if (frame.stream() == 0) {
            processOwn(frame, call);
        } else if (frame.stream() == call.stream()) {
            call.process(frame);
        }
    }

    private void processOwn(Frame frame, GrpcCall call) throws IOException {
        switch (frame.type()) {
            case Frame.SETTINGS -> {
                if (!frame.has(Frame.ACK)) {
                    applySettings(frame.payload(), call);
                    frames.write(Frame.SETTINGS, Frame.ACK, 0, ByteBuffer.allocate(0));
                }
            }
            case Frame.PING -> {
                if (!frame.has(Frame.ACK)) {
                    frames.write(Frame.PING, Frame.ACK, 0, frame.payload());
                }
            }
            case Frame.WINDOW_UPDATE -> sendWindow.grow(frame.number());
            case Frame.GOAWAY -> {
                lastStreamServed = frame.number();
                requireServed(call.stream());
            }
            default -> {} // what we do not know must be ignored (RFC 9113, section 4.1)
        }
    }

    private void applySettings(ByteBuffer settings, GrpcCall call) throws ProtocolException {
        while (settings.remaining() >= SETTING_BYTES) {
            short name = settings.getShort();
            int value = settings.getInt();
            if (name == SETTING_INITIAL_WINDOW_SIZE) {
                if (value < 0) {
                    throw new ProtocolException("a window of " + Integer.toUnsignedString(value) + " bytes");
                }
                call.sendWindow().grow(value - initialSendWindow);
                initialSendWindow = value;
            }
        }
    }

    private void requireServed(int stream) throws GrpcException {
        if (stream > lastStreamServed) {
            throw new GrpcException(GrpcStatus.UNAVAILABLE, "the server is going away");
        }
    }

    private void count(int bytes) throws IOException {
        received += bytes;
        if (received >= RECEIVE_WINDOW / 2) {
            grantWindow(0, received);
            received = 0;
        }
    }

    @Override
    public void close() throws IOException {
        frames.close();
    }
}
