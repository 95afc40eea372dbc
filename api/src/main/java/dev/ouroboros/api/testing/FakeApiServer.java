package dev.ouroboros.api.testing;

import dev.ouroboros.api.testing.FakeObjects.Selector;
import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An API server as far as a keeper can tell: lists in pages, watches with bookmarks, merge patches, deletes with preconditions,
 * {@code /readyz}; and every fault a test asks for. It speaks real TLS and HTTP on loopback.
 */
public final class FakeApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FakeApiServer.class);
    private static final int BACKLOG = 64;

    private final TestAuthority authority;
    private final SSLServerSocketFactory factory;
    private final FakeObjects objects;
    private final Map<String, Fault> faults = new ConcurrentHashMap<>();
    private final Set<SSLSocket> connections = ConcurrentHashMap.newKeySet();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final FakeApiVerbs verbs;
    private final Socket reservation;
    private volatile Optional<SSLServerSocket> listening = Optional.empty();
    private volatile String readyz = "ok";
    private volatile String version = "v1.20.2";
    private volatile CountDownLatch goesOn = new CountDownLatch(0);

    /** What goes wrong with requests whose method and target begin with a text. */
    public sealed interface Fault {
        record Status(int code, Map<String, String> headers) implements Fault {}

        /** Takes the request and never answers. */
        record Hang() implements Fault {}

        /** Answers well, and late. */
        record Late(Duration delay) implements Fault {}

        /** Closes the connection in the middle of the answer. */
        record Cut() implements Fault {}

        /** Answers 200 with something that is not JSON. */
        record Garbage(String body) implements Fault {}

        /** A watch begins and says nothing, not even bookmarks. */
        record Stall() implements Fault {}
    }

    public FakeApiServer(TestAuthority authority) throws Exception {
        this(authority, new FakeObjects());
        put("/api/v1/namespaces/kube-system", object("v1", "Namespace", "", "kube-system"));
        put("/apis", object("v1", "APIGroupList", "", "all"));
        listen();
    }

    private FakeApiServer(TestAuthority authority, FakeObjects objects) throws Exception {
        this.authority = authority;
        this.objects = objects;
        this.verbs = new FakeApiVerbs(objects);
        this.factory = authority.serverContext().getServerSocketFactory();
        this.reservation = reserved();
    }

    /** Another server of the same cluster, on another port; it does not listen yet. */
    public FakeApiServer sibling() throws Exception {
        return new FakeApiServer(authority, objects);
    }

    public boolean isListening() {
        return listening.isPresent();
    }

    /** A socket that holds the port of a server that is dead: the kernel would give it to any connection that begins. */
    private static Socket reserved() throws IOException {
        Socket socket = new Socket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket;
    }

    /** Begins to listen, on the port it had before. */
    public void listen() throws IOException {
        SSLServerSocket socket = bound();
        listening = Optional.of(socket);
        Thread.ofVirtual().start(() -> accept(socket));
    }

    /** A server socket on the reserved port; the kernel may need a moment to end the one before. */
    private SSLServerSocket bound() throws IOException {
        long end = System.nanoTime() + 5_000_000_000L;
        while (true) {
            SSLServerSocket socket = (SSLServerSocket) factory.createServerSocket();
            try {
                socket.setReuseAddress(true);
                socket.setWantClientAuth(true);
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()), BACKLOG);
                return socket;
            } catch (BindException e) {
                socket.close();
                if (System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    /** Dies: nobody listens, and every connection is cut. */
    public void die() {
        listening.ifPresent(FakeApiServer::closeQuietly);
        listening = Optional.empty();
        cutConnections();
    }

    /** As a server that is told to end: each watch ends like one whose lifetime is over. */
    public void endWatches() {
        verbs.endWatches();
    }

    /** Stops as by SIGSTOP: the kernel takes connections and what comes over them, and nobody says a word. */
    public void freeze() {
        goesOn = new CountDownLatch(1);
    }

    public void thaw() {
        goesOn.countDown();
    }

    public void cutConnections() {
        connections.forEach(FakeApiServer::closeQuietly);
    }

    public int port() {
        return reservation.getLocalPort();
    }

    public URI uri() {
        return URI.create("https://127.0.0.1:" + port());
    }

    public TestAuthority authority() {
        return authority;
    }

    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** Connections taken so far. */
    public int accepted() {
        return accepted.get();
    }

    public Json.Fields put(String path, Json.Fields object) {
        return objects.put(path, object);
    }

    public Optional<Json.Fields> get(String path) {
        return objects.get(path);
    }

    /** All objects of a collection. */
    public List<Json.Fields> list(String collection) {
        return objects.list(new Selector(collection, "", "")).items();
    }

    public boolean delete(String path) {
        return objects.delete(path);
    }

    /** Removes an object without a deletion event, as when etcd is restored from a backup that did not have it. */
    public void lose(String path) {
        objects.lose(path);
    }

    public void compact() {
        objects.compact();
    }

    /** Body of {@code /readyz}; "ok" is ready. */
    public void readyz(String body) {
        readyz = body;
    }

    /** What it says at {@code /version}. */
    public void version(String gitVersion) {
        version = gitVersion;
    }

    public void fault(String requestPrefix, Fault fault) {
        faults.put(requestPrefix, fault);
    }

    public void heal() {
        faults.clear();
    }

    /** Writes a kubeconfig of a client of this server, as JSON. */
    public Path writeKubeconfig(Path file) throws Exception {
        return FakeKubeconfig.write(file, uri(), authority);
    }

    /** An object with nothing but its name. */
    public static Json.Fields object(String apiVersion, String kind, String namespace, String name) {
        Json.Fields metadata = Json.object().with("name", Json.text(name));
        return Json.object()
                .with("apiVersion", Json.text(apiVersion))
                .with("kind", Json.text(kind))
                .with("metadata", namespace.isEmpty() ? metadata : metadata.with("namespace", Json.text(namespace)));
    }

    private void accept(SSLServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                SSLSocket connection = (SSLSocket) socket.accept();
                accepted.incrementAndGet();
                connections.add(connection);
                if (socket.isClosed()) {
                    // We died after it was accepted and before it could be cut.
                    closeQuietly(connection);
                }
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(SSLSocket connection) {
        try (connection) {
            goesOn.await();
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                goesOn.await();
                answer(line, body(reader), connection.getOutputStream());
            }
        } catch (IOException | UncheckedIOException | InterruptedException e) {
            // The client went away, or the test took the connection.
            closeQuietly(connection);
        } finally {
            connections.remove(connection);
        }
    }

    private static String body(BufferedReader reader) throws IOException {
        int length = 0;
        for (String header = reader.readLine(); header != null && !header.isEmpty(); header = reader.readLine()) {
            if (header.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        char[] body = new char[length];
        int read = 0;
        while (read < length) {
            int count = reader.read(body, read, length - read);
            if (count < 0) {
                throw new IOException("cut off");
            }
            read += count;
        }
        return new String(new String(body).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private void answer(String requestLine, String body, OutputStream output) throws IOException, InterruptedException {
        String[] words = requestLine.split(" ", -1);
        String request = words[0] + " " + words[1];
        requests.add(request);
        Optional<Fault> fault = faults.entrySet().stream()
                .filter(entry -> request.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
        if (fault.isPresent() && fail(fault.get(), output)) {
            return;
        }
        String path = words[1].split("\\?", 2)[0];
        Map<String, String> query = query(words[1]);
        if (path.equals("/readyz")) {
            HttpReplies.send(output, readyz.equals("ok") ? 200 : 500, Map.of(), readyz);
        } else if (path.equals("/version")) {
            HttpReplies.send(output, 200, Map.of(), "{\"gitVersion\":\"" + version + "\"}");
        } else {
            verbs.answer(words[0], path, query, body, output);
        }
    }

    private static boolean fail(Fault fault, OutputStream output) throws IOException, InterruptedException {
        switch (fault) {
            case Fault.Status(int code, Map<String, String> headers) ->
                HttpReplies.send(output, code, headers, "{\"kind\":\"Status\",\"message\":\"a test says so\"}");
            case Fault.Hang() -> Thread.sleep(Long.MAX_VALUE);
            case Fault.Late(Duration delay) -> {
                Thread.sleep(delay);
                return false;
            }
            case Fault.Cut() -> {
                output.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"kind\":"
                        .getBytes(StandardCharsets.US_ASCII));
                output.flush();
                throw new IOException("cut");
            }
            case Fault.Garbage(String text) -> HttpReplies.send(output, 200, Map.of(), text);
            case Fault.Stall() -> {
                HttpReplies.beginChunks(output);
                Thread.sleep(Long.MAX_VALUE);
            }
        }
        return true;
    }

    private static Map<String, String> query(String target) {
        Map<String, String> query = new HashMap<>();
        int mark = target.indexOf('?');
        if (mark >= 0) {
            for (String pair : target.substring(mark + 1).split("&", -1)) {
                String[] parts = pair.split("=", 2);
                query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
        }
        return query;
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // TLS may fail to say good-bye to who has gone: what matters to the test is that the descriptor is gone.
            LOG.debug("closing: {}", e.toString());
        }
    }

    @Override
    public void close() {
        die();
        closeQuietly(reservation);
    }
}
