package dev.ouroboros.runtime.grpc;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Frames on a connection. What is written is sent when the next frame is read, so that a whole request goes with one system
 * call. Reading and writing block; when the time is over, {@link Watchdog} closes the socket under them.
 */
final class FrameChannel implements Closeable {
    /** The size that a peer must accept, and the only one that it may use, as long as nobody says otherwise. */
    static final int MAX_PAYLOAD = 16_384;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 9;

    private final ByteChannel channel;
    private final Watchdog watchdog;
    private final ByteBuffer in =
            ByteBuffer.allocate(HEADER_BYTES + MAX_PAYLOAD).limit(0);
    private final ByteBuffer out = ByteBuffer.allocate(2 * (HEADER_BYTES + MAX_PAYLOAD));
    private int consumed;

    private FrameChannel(ByteChannel channel, Watchdog watchdog) {
        this.channel = channel;
        this.watchdog = watchdog;
    }

    /** Connects and puts the client's preface into the output. */
    static FrameChannel open(Path socket, Duration limit) throws IOException {
        // Opened without its address first: a connect to a server that does not accept can take forever.
        SocketChannel channel = SocketChannel.open(java.net.StandardProtocolFamily.UNIX);
        Watchdog watchdog = new Watchdog(channel, limit);
        FrameChannel frames = new FrameChannel(channel, watchdog);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            frames.close();
            throw frames.explained(e);
        }
        frames.out.put(PREFACE);
        return frames;
    }

    /** Over a connection that is there, and puts the client's preface into the output. */
    static FrameChannel over(ByteChannel channel, Duration limit) {
        FrameChannel frames = new FrameChannel(channel, new Watchdog(channel, limit));
        frames.out.put(PREFACE);
        return frames;
    }

    /** From now on, what follows may take this long. */
    void within(Duration limit) {
        watchdog.within(limit);
    }

    void write(int type, int flags, int stream, ByteBuffer payload) throws IOException {
        if (payload.remaining() > MAX_PAYLOAD) {
            throw new IllegalArgumentException("a frame of " + payload.remaining() + " bytes");
        }
        if (out.remaining() < HEADER_BYTES + payload.remaining()) {
            flush();
        }
        out.put((byte) (payload.remaining() >> 16));
        out.putShort((short) payload.remaining());
        out.put((byte) type);
        out.put((byte) flags);
        out.putInt(stream);
        out.put(payload);
    }

    /** Sends what was written and waits for the next frame. */
    Frame read() throws IOException {
        flush();
        in.position(in.position() + consumed);
        consumed = 0;
        fill(HEADER_BYTES);
        int start = in.position();
        int length = ((in.get(start) & 0xff) << 16) | (in.getShort(start + 1) & 0xffff);
        if (length > MAX_PAYLOAD) {
            throw new ProtocolException("a frame of " + length + " bytes: the server does not speak HTTP/2");
        }
        fill(HEADER_BYTES + length);
        start = in.position();
        consumed = HEADER_BYTES + length;
        return new Frame(
                in.get(start + 3) & 0xff,
                in.get(start + 4) & 0xff,
                in.getInt(start + 5) & Integer.MAX_VALUE,
                in.slice(start + HEADER_BYTES, length));
    }

    private void fill(int bytes) throws IOException {
        if (in.remaining() >= bytes) {
            return;
        }
        in.compact();
        try {
            while (in.position() < bytes) {
                if (channel.read(in) < 0) {
                    throw new EOFException("the server closed the connection");
                }
            }
        } catch (IOException e) {
            throw explained(e);
        } finally {
            in.flip();
        }
    }

    private void flush() throws IOException {
        out.flip();
        try {
            while (out.hasRemaining()) {
                channel.write(out);
            }
        } catch (IOException e) {
            throw explained(e);
        } finally {
            out.clear();
        }
    }

    /** A socket that was closed under us says only that; the reason is known here. */
    private IOException explained(IOException e) {
        if (e instanceof ClosedByInterruptException) {
            return new GrpcException(GrpcStatus.CANCELLED, "interrupted");
        }
        if (watchdog.expired()) {
            return new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "no answer within " + watchdog.limit());
        }
        return e;
    }

    @Override
    public void close() throws IOException {
        watchdog.close();
        channel.close();
    }
}
