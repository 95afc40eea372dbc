package dev.ouroboros.runtime.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ProtocolException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
final class GrpcConnectionTest {
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(15);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void answersOneCallAfterAnother() throws IOException {
        try (FakeServer _ = FakeServer.grpc(
                        socket(), (method, request) -> (method + new String(request, UTF_8)).getBytes(UTF_8));
                GrpcConnection connection = GrpcConnection.open(socket(), LONG)) {
            for (String name : List.of("one", "two", "three")) {
                byte[] answer = connection.call("/a.B/" + name, "!".getBytes(UTF_8), Map.of());
                assertThat(answer).asString(UTF_8).isEqualTo("/a.B/" + name + "!");
            }
            assertThat(connection.call("/a", new byte[0], Map.of()))
                    .asString(UTF_8)
                    .isEqualTo("/a");
        }
    }

    @Test
    void goesOnAfterACallThatFailed() throws IOException {
        FakeServer.Service service = (method, _) -> {
            if (method.equals("/bad")) {
                throw new GrpcException(GrpcStatus.NOT_FOUND, "no%20such thing 100%25 a+b");
            }
            return new byte[3];
        };
        try (FakeServer _ = FakeServer.grpc(socket(), service);
                GrpcConnection connection = GrpcConnection.open(socket(), LONG)) {
            assertThatThrownBy(() -> connection.call("/bad", new byte[0], Map.of()))
                    .isInstanceOfSatisfying(
                            GrpcException.class, e -> assertThat(e.status()).isEqualTo(GrpcStatus.NOT_FOUND))
                    .hasMessage("no such thing 100% a+b");
            assertThat(connection.call("/good", new byte[0], Map.of())).hasSize(3);
        }
    }

    @Test
    void readsMessagesThatNeedManyWindows() throws IOException {
        byte[] large = new byte[MessageAssembler.MAX_MESSAGE];
        large[large.length - 1] = 7;
        try (FakeServer _ = FakeServer.grpc(socket(), (_, _) -> large);
                GrpcConnection connection = GrpcConnection.open(socket(), LONG)) {
            assertThat(connection.call("/a", new byte[0], Map.of())).isEqualTo(large);
            assertThat(connection.call("/a", new byte[0], Map.of())).isEqualTo(large);
        }
    }

    @Test
    void refusesAMessageThatWouldNotFitIntoMemory() throws IOException {
        FakeServer.Behaviour behaviour = connection -> {
            connection.greet();
            connection.headers(1, 0, Map.of(":status", "200"));
            connection.frame(Frame.DATA, 0, 1, ByteBuffer.wrap(new byte[] {0, 0x7f, 0, 0, 0}));
            connection.await(Frame.RST_STREAM);
        };
        assertThatThrownBy(() -> callTo(behaviour))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("a message of 2130706432 bytes");
    }

    @Test
    void sendsNoMoreThanACallsWindowAllows() throws IOException {
        sendThroughWindows(1_000);
    }

    @Test
    void sendsNoMoreThanTheConnectionsWindowAllows() throws IOException {
        sendThroughWindows(1 << 20);
    }

    /** A server that opens a window only when it is used up, and answers the bytes that came too many. */
    private void sendThroughWindows(int initialWindow) throws IOException {
        int length = 200_000;
        FakeServer.Behaviour behaviour = connection -> {
            connection.greet(ByteBuffer.allocate(6)
                    .putShort((short) 4)
                    .putInt(initialWindow)
                    .flip());
            answer(connection, connection.request().stream(), 0);
            int stream = connection.await(Frame.HEADERS).stream();
            long callWindow = initialWindow;
            long connectionWindow = 65_535 - 6;
            long tooMany = 0;
            for (int left = length + MessageAssembler.PREFIX_BYTES; left > 0; ) {
                int size = connection.await(Frame.DATA).payload().remaining();
                left -= size;
                callWindow -= size;
                connectionWindow -= size;
                tooMany = Math.max(tooMany, -Math.min(callWindow, connectionWindow));
                if (callWindow <= 0) {
                    connection.frame(
                            Frame.WINDOW_UPDATE,
                            0,
                            stream,
                            ByteBuffer.allocate(4).putInt(5_000).flip());
                    callWindow += 5_000;
                }
                if (connectionWindow <= 0) {
                    connection.frame(
                            Frame.WINDOW_UPDATE,
                            0,
                            0,
                            ByteBuffer.allocate(4).putInt(7_000).flip());
                    connectionWindow += 7_000;
                }
            }
            answer(connection, stream, (int) tooMany);
            connection.await(Frame.GOAWAY);
        };
        try (FakeServer _ = FakeServer.start(socket(), behaviour);
                GrpcConnection connection = GrpcConnection.open(socket(), LONG)) {
            connection.call("/first", new byte[1], Map.of());
            assertThat(connection.call("/second", new byte[length], Map.of())).isEmpty();
        }
    }

    private static void answer(FakeServer.Connection connection, int stream, int length) throws IOException {
        connection.headers(stream, 0, Map.of(":status", "200"));
        connection.message(stream, new byte[length]);
        connection.headers(stream, Frame.END_STREAM, Map.of("grpc-status", "0"));
    }

    @Test
    void answersPingsAndIgnoresWhatItDoesNotKnow() throws IOException {
        FakeServer.Behaviour behaviour = connection -> {
            connection.greet();
            FakeServer.Request request = connection.request();
            connection.frame(
                    Frame.PING, 0, 0, ByteBuffer.allocate(8).putLong(42).flip());
            connection.frame(0x77, 0xff, request.stream(), ByteBuffer.allocate(5));
            connection.frame(0x77, 0xff, 0, ByteBuffer.allocate(5));
            Frame pong = connection.await(Frame.PING);
            boolean right = pong.has(Frame.ACK) && pong.payload().getLong() == 42;
            answer(connection, request.stream(), right ? 1 : 0);
            connection.await(Frame.GOAWAY);
        };
        assertThat(callTo(behaviour)).hasSize(1);
    }

    @Test
    void readsHeadersInPiecesAndWithPadding() throws IOException {
        FakeServer.Behaviour behaviour = connection -> {
            connection.greet();
            int stream = connection.request().stream();
            ByteBuffer block = ByteBuffer.wrap(HeaderBlock.encode(Map.of(":status", "200", "x", "y".repeat(50))));
            ByteBuffer first = ByteBuffer.allocate(1 + 5 + 20 + 3)
                    .put((byte) 3)
                    .put(new byte[5])
                    .put(block.slice(0, 20));
            connection.frame(Frame.HEADERS, Frame.PADDED | Frame.PRIORITY, stream, first.position(0));
            connection.frame(Frame.CONTINUATION, Frame.END_HEADERS, stream, block.slice(20, block.remaining() - 20));
            ByteBuffer data = ByteBuffer.allocate(1 + 6 + 4).put((byte) 4).put(new byte[] {0, 0, 0, 0, 1, 9});
            connection.frame(Frame.DATA, Frame.PADDED, stream, data.position(0));
            connection.headers(stream, Frame.END_STREAM, Map.of("grpc-status", "0"));
            connection.await(Frame.GOAWAY);
        };
        assertThat(callTo(behaviour)).containsExactly(9);
    }

    @Test
    void namesAServerThatHangs() throws IOException {
        long start = System.nanoTime();
        assertThatThrownBy(() -> callTo(connection -> connection.await(Frame.GOAWAY)))
                .isInstanceOfSatisfying(
                        GrpcException.class, e -> assertThat(e.status()).isEqualTo(GrpcStatus.DEADLINE_EXCEEDED))
                .hasMessageContaining("PT0.3S");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(LIMIT, Duration.ofSeconds(5));
    }

    @Test
    void namesAServerThatHangsInTheMiddleOfAnAnswer() {
        FakeServer.Behaviour behaviour = connection -> {
            connection.greet();
            int stream = connection.request().stream();
            connection.headers(stream, 0, Map.of(":status", "200"));
            connection.await(Frame.GOAWAY);
        };
        assertThatThrownBy(() -> callTo(behaviour)).hasMessageContaining("no answer within");
    }

    /** Nobody accepts: connections wait in a queue of one, and then there is no room in it. */
    @Test
    void namesAServerThatDoesNotAccept() throws IOException {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket()), 1);
            for (int index = 0; index < 2; index++) {
                waiting.add(SocketChannel.open(UnixDomainSocketAddress.of(socket())));
            }
            assertThatThrownBy(this::call).isInstanceOf(IOException.class);
            Thread virtual = Thread.ofVirtual()
                    .start(() -> assertThatThrownBy(this::call).isInstanceOf(IOException.class));
            virtual.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            for (SocketChannel channel : waiting) {
                channel.close();
            }
        }
    }

    @Test
    void namesAServerThatClosesTheConnection() {
        assertThatThrownBy(() -> callTo(_ -> {})).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.greet();
                    connection.request();
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void namesAServerThatIsNoneOfHttp2() {
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.raw("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(UTF_8));
                    connection.await(Frame.GOAWAY);
                }))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("does not speak HTTP/2");
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.raw(new byte[9]);
                    connection.await(Frame.GOAWAY);
                }))
                .hasMessageContaining("does not greet");
    }

    @Test
    void namesAServerThatIsNoneOfGrpc() {
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.greet();
                    connection.headers(connection.request().stream(), Frame.END_STREAM, Map.of(":status", "404"));
                    connection.await(Frame.GOAWAY);
                }))
                .hasMessageContaining("HTTP status '404'");
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.greet();
                    connection.headers(connection.request().stream(), Frame.END_STREAM, Map.of(":status", "200"));
                    connection.await(Frame.GOAWAY);
                }))
                .hasMessageContaining("without a status");
    }

    @Test
    void namesAServerThatResetsOrGoesAway() {
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.greet();
                    int stream = connection.request().stream();
                    connection.frame(
                            Frame.RST_STREAM,
                            0,
                            stream,
                            ByteBuffer.allocate(4).putInt(7).flip());
                    connection.await(Frame.GOAWAY);
                }))
                .hasMessageContaining("HTTP/2 error 7");
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.greet();
                    connection.request();
                    connection.frame(Frame.GOAWAY, 0, 0, ByteBuffer.allocate(8));
                    connection.await(Frame.GOAWAY);
                }))
                .hasMessageContaining("going away");
    }

    @Test
    void finishesACallThatBeganBeforeTheServerWentAway() throws IOException {
        FakeServer.Behaviour behaviour = connection -> {
            connection.greet();
            int stream = connection.request().stream();
            connection.frame(
                    Frame.GOAWAY,
                    0,
                    0,
                    ByteBuffer.allocate(8).putInt(stream).putInt(0).flip());
            answer(connection, stream, 2);
            connection.await(Frame.GOAWAY);
        };
        assertThat(callTo(behaviour)).hasSize(2);
    }

    @Test
    void namesAnAnswerThatIsCutOff() {
        assertThatThrownBy(() -> callTo(connection -> {
                    connection.greet();
                    int stream = connection.request().stream();
                    connection.headers(stream, 0, Map.of(":status", "200"));
                    connection.frame(Frame.DATA, 0, stream, ByteBuffer.wrap(new byte[] {0, 0, 0, 0, 9, 1}));
                    connection.headers(stream, Frame.END_STREAM, Map.of("grpc-status", "0"));
                    connection.await(Frame.GOAWAY);
                }))
                .hasMessageContaining("in the middle of a message");
    }

    @Test
    void namesASocketThatIsNotThereOrHasNoServer() throws IOException {
        assertThatThrownBy(this::call).isInstanceOf(IOException.class).hasMessageContaining("No such file");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket()));
        }
        assertThatThrownBy(this::call).isInstanceOf(IOException.class).hasMessageContaining("refused");
        Files.delete(socket());
        Files.writeString(socket(), "a file");
        assertThatThrownBy(this::call).isInstanceOf(IOException.class).hasMessageContaining("refused");
    }

    private byte[] callTo(FakeServer.Behaviour behaviour) throws IOException {
        try (FakeServer _ = FakeServer.start(socket(), behaviour)) {
            return call();
        }
    }

    private byte[] call() throws IOException {
        try (GrpcConnection connection = GrpcConnection.open(socket(), LIMIT)) {
            return connection.call("/a.B/C", new byte[1], Map.of());
        }
    }

    private Path socket() {
        return directory.resolve("s");
    }
}
