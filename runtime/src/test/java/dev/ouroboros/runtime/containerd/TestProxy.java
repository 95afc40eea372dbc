package dev.ouroboros.runtime.containerd;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A forward proxy on loopback that leads every tunnel to one server, wherever it was asked to lead. */
final class TestProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int target;
    private final List<String> connects = new CopyOnWriteArrayList<>();

    TestProxy(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    String address() {
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    /** Where it was asked to lead, in order. */
    List<String> connects() {
        return List.copyOf(connects);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                // Closed: nobody is served any more.
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            String[] request = head(client.getInputStream()).split(" ", -1);
            connects.add(request[0] + " " + request[1]);
            client.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Thread back = Thread.ofVirtual().start(() -> pump(server, client));
            pump(client, server);
            back.join();
        } catch (IOException e) {
            // A client that went away; what it asked for is known.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String head(InputStream stream) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int letter = stream.read();
            if (letter < 0) {
                throw new IOException("ended in its head: " + head);
            }
            head.append((char) letter);
        }
        return head.toString();
    }

    private static void pump(Socket from, Socket to) {
        try (OutputStream out = to.getOutputStream()) {
            from.getInputStream().transferTo(out);
        } catch (IOException e) {
            // One end is gone, and the other follows.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
