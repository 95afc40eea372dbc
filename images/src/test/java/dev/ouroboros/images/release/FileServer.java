package dev.ouroboros.images.release;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A file server on loopback that knows ranges and can cut connections off. */
final class FileServer implements AutoCloseable {
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final Map<String, List<String>> ranges = new ConcurrentHashMap<>();
    private final HttpServer server;
    private volatile boolean knowsRanges = true;
    private volatile Cut cut = new Cut("", 0, 0);

    private record Cut(String path, int bytes, int times) {}

    FileServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::answer);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    void put(String path, String text) {
        put(path, text.getBytes(StandardCharsets.UTF_8));
    }

    void put(String path, byte[] content) {
        files.put(path, content.clone());
    }

    byte[] get(String path) {
        return Optional.ofNullable(files.get(path)).orElseThrow().clone();
    }

    void remove(String path) {
        files.remove(path);
    }

    /** The next {@code times} answers for this path end after so many bytes. */
    void cutAfter(String path, int bytes, int times) {
        cut = new Cut(path, bytes, times);
    }

    void ignoreRanges() {
        knowsRanges = false;
    }

    /** The Range headers of all requests for a path; empty text for one without. */
    List<String> ranges(String path) {
        return List.copyOf(ranges.getOrDefault(path, List.of()));
    }

    void forgetRanges() {
        ranges.clear();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String range = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Range"))
                    .orElse("");
            ranges.computeIfAbsent(path, any -> new ArrayList<>()).add(range);
            byte[] content = files.get(path);
            if (content == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            boolean partial = knowsRanges && !range.isEmpty();
            int from = partial ? Integer.parseInt(range.replaceAll("\\D", "")) : 0;
            byte[] rest = Arrays.copyOfRange(content, from, content.length);
            exchange.sendResponseHeaders(partial ? 206 : 200, rest.length);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(rest, 0, Math.min(rest.length, allowed(path, rest.length)));
                body.flush();
            }
        }
    }

    private synchronized int allowed(String path, int all) {
        if (!cut.path().equals(path) || cut.times() == 0) {
            return all;
        }
        cut = new Cut(path, cut.bytes(), cut.times() - 1);
        return cut.bytes();
    }

    static String sha256(byte[] content) {
        return digest("SHA-256", content);
    }

    static String sha512(byte[] content) {
        return digest("SHA-512", content);
    }

    private static String digest(String algorithm, byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
