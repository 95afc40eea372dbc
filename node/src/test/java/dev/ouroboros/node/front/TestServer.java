package dev.ouroboros.node.front;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** A server that greets with its name and returns every byte; {@link #HANG_UP} makes it close first, {@link #RESET} reset. */
final class TestServer implements AutoCloseable {
    static final char HANG_UP = 'q';
    static final char RESET = 'r';

    private final ServerSocket listening;
    private final Set<Socket> accepted = ConcurrentHashMap.newKeySet();
    private final Thread acceptor;

    private TestServer(ServerSocket listening, String name) {
        this.listening = listening;
        this.acceptor = Thread.ofVirtual().start(() -> accept(name));
    }

    /** Listens on all addresses, IPv4 and IPv6, as an API server does. */
    static TestServer start(NetworkNamespace namespace, int port, String name) throws ExecutionException {
        return new TestServer(listen(namespace, port, 512), name);
    }

    /** Listens and never accepts: the kernel completes a few connections and then no longer answers. */
    static ServerSocket startHung(NetworkNamespace namespace, int port) throws ExecutionException {
        return listen(namespace, port, 1);
    }

    private static ServerSocket listen(NetworkNamespace namespace, int port, int backlog) throws ExecutionException {
        return namespace.call(() -> {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("::"), port), backlog);
            return socket;
        });
    }

    private void accept(String name) {
        try {
            while (true) {
                Socket socket = listening.accept();
                accepted.add(socket);
                Thread.ofVirtual().start(() -> serve(socket, name));
            }
        } catch (IOException e) {
            if (!listening.isClosed()) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void serve(Socket socket, String name) {
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            out.write((name + "\n").getBytes(StandardCharsets.US_ASCII));
            for (int read = in.read(); read >= 0 && read != HANG_UP; read = in.read()) {
                if (read == RESET) {
                    socket.setSoLinger(true, 0);
                    return;
                }
                out.write(read);
            }
        } catch (SocketException e) {
            // The test closed this server, or its client went away: both are how a connection of a test ends.
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            accepted.remove(socket);
        }
    }

    /** Stops listening; connections go on. The port is free once the acceptor has let go of the socket. */
    void stopListening() throws IOException, InterruptedException {
        listening.close();
        acceptor.join();
    }

    @Override
    public void close() throws IOException {
        try {
            stopListening();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket socket : accepted) {
            socket.close();
        }
    }
}
