package dev.ouroboros.node.front;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/** A connection to a {@link TestServer}, made from inside a namespace. */
final class TestClient implements AutoCloseable {
    private static final int TIMEOUT_MILLISECONDS = 10_000;

    private final Socket socket;
    private final BufferedReader reader;
    private final String server;

    private TestClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(TIMEOUT_MILLISECONDS);
        this.reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        this.server = reader.readLine();
    }

    static TestClient connect(NetworkNamespace from, String address, int port) throws Exception {
        return connect(from, address, port, 0);
    }

    /** From a port of the client's choice; 0 lets the kernel choose. */
    static TestClient connect(NetworkNamespace from, String address, int port, int localPort) throws Exception {
        return inside(from, () -> connectHere(address, port, localPort));
    }

    /** The name of the server that answers a new connection. */
    static String whoAnswers(NetworkNamespace from, String address, int port) throws Exception {
        try (TestClient client = connect(from, address, port)) {
            return client.server();
        }
    }

    /** As {@link #whoAnswers} on a thread that is inside already. */
    static String whoAnswersHere(String address, int port) throws IOException {
        try (TestClient client = connectHere(address, port, 0)) {
            return client.server();
        }
    }

    /** The test wants to see what happened inside, not that it happened on another thread. */
    static <T> T inside(NetworkNamespace namespace, Callable<T> work) throws Exception {
        try {
            return namespace.call(work);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private static TestClient connectHere(String address, int port, int localPort) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(localPort));
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port), TIMEOUT_MILLISECONDS);
            return new TestClient(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    String server() {
        return server;
    }

    int localPort() {
        return socket.getLocalPort();
    }

    /** Sends a character and returns what comes back; -1 when the server hung up. */
    int echo(char character) throws IOException {
        socket.getOutputStream().write(character);
        return reader.read();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
