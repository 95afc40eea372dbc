package dev.ouroboros.runtime.grpc;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on a Unix socket that does with each connection what a test says, in HTTP/2 or not. */
public final class FakeServer implements Closeable {
    /** What the server does with one connection. */
    public interface Behaviour {
        void serve(Connection connection) throws IOException;
    }

    /** Answers each call of a gRPC client with one message, or throws a {@link GrpcException} as its status. */
    public interface Service {
        byte[] answer(String method, byte[] request) throws GrpcException;
    }

    private final Path socket;
    private final ServerSocketChannel server;
    private final CopyOnWriteArrayList<SocketChannel> open = new CopyOnWriteArrayList<>();

    private FakeServer(Path socket, ServerSocketChannel server) {
        this.socket = socket;
        this.server = server;
    }

    public static FakeServer start(Path socket, Behaviour behaviour) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        FakeServer fake = new FakeServer(socket, server);
        Thread.ofVirtual().start(() -> fake.accept(behaviour));
        return fake;
    }

    /** A gRPC server that knows these methods' answers. */
    public static FakeServer grpc(Path socket, Service service) throws IOException {
        return start(socket, connection -> {
            connection.greet();
            while (true) {
                Request request = connection.request();
                try {
                    byte[] answer =
                            service.answer(request.method(), request.message().array());
                    connection.headers(
                            request.stream(), 0, Map.of(":status", "200", "content-type", "application/grpc"));
                    connection.message(request.stream(), answer);
                    connection.headers(request.stream(), Frame.END_STREAM, Map.of("grpc-status", "0"));
                } catch (GrpcException e) {
                    connection.headers(
                            request.stream(),
                            Frame.END_STREAM,
                            Map.of(
                                    ":status", "200",
                                    "grpc-status", Integer.toString(e.status().code()),
                                    "grpc-message", String.valueOf(e.getMessage())));
                }
            }
        });
    }

    private void accept(Behaviour behaviour) {
        try {
            while (true) {
                SocketChannel channel = server.accept();
                open.add(channel);
                Thread.ofVirtual().start(() -> serve(behaviour, channel));
            }
        } catch (ClosedChannelException e) {
            return; // the test is over
        } catch (IOException e) {
            throw new IllegalStateException("accepting", e);
        }
    }

    private static void serve(Behaviour behaviour, SocketChannel channel) {
        try (channel) {
            behaviour.serve(new Connection(channel));
        } catch (EOFException | ClosedChannelException e) {
            return; // the client is gone, or the test over
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("Broken pipe")) {
                throw new IllegalStateException("serving", e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (SocketChannel channel : open) {
            channel.close();
        }
        Files.deleteIfExists(socket);
    }

    /** A whole unary request. */
    public record Request(int stream, String method, ByteBuffer message) {}

    /** The server's end of a connection. */
    public static final class Connection {
        private final DataInputStream in;
        private final DataOutputStream out;

        private Connection(SocketChannel channel) {
            in = new DataInputStream(Channels.newInputStream(channel));
            out = new DataOutputStream(Channels.newOutputStream(channel));
        }

        /** Reads the client's preface and sends our settings. */
        public void greet() throws IOException {
            greet(ByteBuffer.allocate(0));
        }

        void greet(ByteBuffer settings) throws IOException {
            String preface = new String(in.readNBytes(24), StandardCharsets.US_ASCII);
            if (!preface.startsWith("PRI * HTTP/2.0")) {
                throw new IllegalStateException("no preface: " + preface);
            }
            frame(Frame.SETTINGS, 0, 0, settings);
        }

        public void raw(byte[] bytes) throws IOException {
            out.write(bytes);
        }

        void frame(int type, int flags, int stream, ByteBuffer payload) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(9 + payload.remaining());
            frame.put((byte) (payload.remaining() >> 16)).putShort((short) payload.remaining());
            frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
            out.write(frame.array());
        }

        void headers(int stream, int flags, Map<String, String> headers) throws IOException {
            frame(Frame.HEADERS, flags | Frame.END_HEADERS, stream, ByteBuffer.wrap(HeaderBlock.encode(headers)));
        }

        /** A gRPC message, in DATA frames of the allowed size. */
        void message(int stream, byte[] message) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(5 + message.length)
                    .put((byte) 0)
                    .putInt(message.length)
                    .put(message)
                    .flip();
            while (bytes.hasRemaining()) {
                int size = Math.min(bytes.remaining(), FrameChannel.MAX_PAYLOAD);
                frame(Frame.DATA, 0, stream, bytes.slice(bytes.position(), size));
                bytes.position(bytes.position() + size);
            }
        }

        Frame read() throws IOException {
            int length = (in.readUnsignedByte() << 16) | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            byte[] payload = in.readNBytes(length);
            if (payload.length < length) {
                throw new EOFException();
            }
            return new Frame(type, flags, stream, ByteBuffer.wrap(payload));
        }

        /** The next frame of one type; what comes before is dropped. */
        Frame await(int type) throws IOException {
            while (true) {
                Frame frame = read();
                if (frame.type() == type) {
                    return frame;
                }
            }
        }

        /** Reads frames until one request is whole; it must fit into the windows of a new connection. */
        public Request request() throws IOException {
            Frame headers = await(Frame.HEADERS);
            MessageAssembler message = new MessageAssembler();
            Frame data;
            do {
                data = await(Frame.DATA);
                message.add(data.content());
            } while (!data.has(Frame.END_STREAM));
            Map<String, String> decoded = HeaderBlock.decode(headers.content());
            return new Request(
                    headers.stream(),
                    decoded.getOrDefault(":path", ""),
                    ByteBuffer.wrap(message.poll().orElseThrow()));
        }
    }
}
