package dev.ouroboros.runtime.containerd;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** The reading half of a registry (OCI distribution API), over TLS on loopback: one image, under whatever name it is asked for. */
final class TestRegistry implements AutoCloseable {
    private static final Pattern PATH = Pattern.compile("/v2/(.+)/(manifests|blobs)/(.+)");

    private final HttpsServer server;
    private final Path layout;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    /** @param layout a directory with {@code blobs/sha256} and {@code index.json} */
    TestRegistry(SSLContext tls, Path layout) throws IOException {
        this.layout = layout;
        this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** The names of images whose manifests were asked for. */
    List<String> asked() {
        return List.copyOf(asked);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
            if (!path.matches()) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            boolean manifest = path.group(2).equals("manifests");
            if (manifest) {
                asked.add(path.group(1));
            }
            String digest = path.group(3).startsWith("sha256:") ? path.group(3) : first("digest");
            byte[] blob = Files.readAllBytes(layout.resolve("blobs/sha256/" + digest.substring("sha256:".length())));
            exchange.getResponseHeaders()
                    .set("Content-Type", manifest ? first("mediaType") : "application/octet-stream");
            exchange.getResponseHeaders().set("Docker-Content-Digest", digest);
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(blob.length));
                exchange.sendResponseHeaders(200, -1);
            } else {
                exchange.sendResponseHeaders(200, blob.length);
                exchange.getResponseBody().write(blob);
            }
        }
    }

    /** Of the index, which has one image. */
    private String first(String field) throws IOException {
        String index = Files.readString(layout.resolve("index.json"), StandardCharsets.UTF_8);
        Matcher value = Pattern.compile("\"" + field + "\" ?: ?\"([^\"]+)\",\"(?:digest|size)\"|\"" + field
                        + "\" ?: ?\"(sha256:[0-9a-f]+)\"")
                .matcher(index);
        if (!value.find()) {
            throw new IOException("no " + field + " in " + index);
        }
        return value.group(1) == null ? value.group(2) : value.group(1);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
