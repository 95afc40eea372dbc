package dev.ouroboros.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A forward proxy that leads nowhere, and remembers where it was asked to lead. */
final class RefusingProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    /** @param address of this machine */
    RefusingProxy(String address) throws IOException {
        this.listening = new ServerSocket(0, 50, InetAddress.ofLiteral(address));
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "http://" + listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort();
    }

    /** First lines of requests, in order. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try (Socket client = listening.accept();
                    BufferedReader request = new BufferedReader(
                            new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII))) {
                Optional.ofNullable(request.readLine()).ifPresent(asked::add);
                client.getOutputStream().write("HTTP/1.1 502 Bad Gateway\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // A client that went away, or the end of the test: the loop's condition says which.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
