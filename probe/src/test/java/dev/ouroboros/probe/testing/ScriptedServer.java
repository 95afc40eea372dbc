package dev.ouroboros.probe.testing;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A TLS server on loopback that speaks HTTP/1.1 and misbehaves as told: each request takes the next step of the script; without
 * one it is answered 200. Below HTTP, because what is tested is what happens to connections.
 */
public final class ScriptedServer implements AutoCloseable {
    /** What happens to one request. */
    public sealed interface Step {
        record Answer(int status, String headers, String body) implements Step {}

        /** The answer comes when {@link ScriptedServer#release} is called. */
        record Hang() implements Step {}

        /** The connection is ended before the answer. */
        record CloseBeforeAnswer() implements Step {}

        /** The connection is reset (RST) before the answer. */
        record Reset() implements Step {}

        /** The connection is ended after an answer that promised to keep it. */
        record AnswerThenClose() implements Step {}
    }

    private final TestAuthority authority;
    private final SSLContext context;
    private final ServerSocket listener;
    private final Thread acceptor;
    private final ConcurrentLinkedQueue<Step> script = new ConcurrentLinkedQueue<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicInteger connections = new AtomicInteger();
    private final Semaphore ended = new Semaphore(0);
    private final List<String> requests = new CopyOnWriteArrayList<>();

    public ScriptedServer(Step... steps) throws Exception {
        this.authority = new TestAuthority();
        this.context = authority.serverContext();
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        script.addAll(List.of(steps));
        this.acceptor = Thread.ofPlatform().daemon().start(this::accept);
    }

    public static Step answer(int status, String headers) {
        return new Step.Answer(status, headers, "");
    }

    public Endpoint endpoint() throws Exception {
        return Endpoint.of(uri(), List.of(authority.certificate()), Optional.empty(), Optional.empty());
    }

    public Endpoint authenticatedEndpoint() throws Exception {
        return Endpoint.of(
                uri(),
                List.of(authority.certificate()),
                Optional.of(authority.leaf("client", TestAuthority.ellipticKeys())),
                Optional.of("secret"));
    }

    private URI uri() {
        return URI.create("https://127.0.0.1:" + listener.getLocalPort());
    }

    public void then(Step step) {
        script.add(step);
    }

    public int connections() {
        return connections.get();
    }

    /** Heads of the requests that arrived. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    public void release() {
        released.countDown();
    }

    /** Refuses connections from now on and resets those that are there. */
    public void kill() throws IOException, InterruptedException {
        listener.close();
        // Until its accept returns, the operating system still takes connections.
        acceptor.join();
        for (Socket socket : open) {
            reset(socket);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                if (listener.isClosed()) {
                    // Killed between the two lines before.
                    reset(socket);
                    return;
                }
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (SocketException e) {
                return;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void serve(Socket socket) {
        try (SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, null, true)) {
            tls.setUseClientMode(false);
            tls.setWantClientAuth(true);
            BufferedReader input =
                    new BufferedReader(new InputStreamReader(tls.getInputStream(), StandardCharsets.ISO_8859_1));
            for (Optional<String> head = readHead(input); head.isPresent(); head = readHead(input)) {
                requests.add(head.get() + "subject: " + subject(tls));
                Step step = Optional.ofNullable(script.poll()).orElse(new Step.Answer(200, "", "ok"));
                if (!perform(step, tls, socket) || head.get().contains("Connection: close")) {
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // The client went away, or the test is over: what the client makes of it is what is tested.
            Thread.currentThread().interrupt();
        } finally {
            ended.release();
        }
    }

    /** Waits until this many more connections are closed on this side. */
    public void awaitClosed(int count) throws InterruptedException {
        ended.acquire(count);
    }

    private static String subject(SSLSocket tls) {
        try {
            return tls.getSession().getPeerPrincipal().getName();
        } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
            return "anonymous";
        }
    }

    private static Optional<String> readHead(BufferedReader input) throws IOException {
        StringBuilder head = new StringBuilder();
        int length = 0;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            if (line.isEmpty()) {
                if (input.skip(length) != length) {
                    return Optional.empty();
                }
                return Optional.of(head.toString());
            }
            if (line.startsWith("Content-Length: ")) {
                length = Integer.parseInt(line.substring("Content-Length: ".length()));
            }
            head.append(line).append('\n');
        }
        return Optional.empty();
    }

    /** Whether the connection goes on. */
    private boolean perform(Step step, SSLSocket tls, Socket socket) throws IOException, InterruptedException {
        switch (step) {
            case Step.Answer answer -> write(tls, answer);
            case Step.Hang _ -> {
                released.await();
                write(tls, new Step.Answer(200, "", "late"));
            }
            case Step.CloseBeforeAnswer _ -> {
                return false;
            }
            case Step.Reset _ -> {
                reset(socket);
                return false;
            }
            case Step.AnswerThenClose _ -> {
                write(tls, new Step.Answer(200, "", "ok"));
                return false;
            }
        }
        return true;
    }

    private static void write(SSLSocket tls, Step.Answer answer) throws IOException {
        String length = answer.headers().contains("Transfer-Encoding")
                ? ""
                : "Content-Length: " + answer.body().length() + "\r\n";
        String text = "HTTP/1.1 " + answer.status() + " x\r\n" + answer.headers() + length + "\r\n" + answer.body();
        tls.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        tls.getOutputStream().flush();
    }

    private static void reset(Socket socket) throws IOException {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // Closed already, perhaps by its own thread just now.
            return;
        }
        socket.close();
    }

    @Override
    public void close() throws IOException {
        release();
        try {
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
