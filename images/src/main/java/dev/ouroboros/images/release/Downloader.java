package dev.ouroboros.images.release;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Gets files over HTTP. A connection that breaks is opened again and goes on where it broke, also in the next process: what was
 * received stays in a file with the suffix {@code .part}. Nothing has its final name before its checksum was right.
 *
 * <p>HttpURLConnection, as it has a timeout for each read: a server that falls silent is noticed however large the file is.
 */
final class Downloader {
    private static final int ATTEMPTS = 4;
    private static final int HTTP_PORT = 80;
    private static final int PARTIAL_CONTENT = 206;
    private static final int RANGE_NOT_SATISFIABLE = 416;

    private final Disk disk;
    private final ProxyEnvironment proxy;
    private final Duration connectTimeout;
    private final Duration readTimeout;

    Downloader(Disk disk, ProxyEnvironment proxy, Duration connectTimeout, Duration readTimeout) {
        this.disk = disk;
        this.proxy = proxy;
        this.connectTimeout = connectTimeout;
        this.readTimeout = readTimeout;
    }

    /** A small text; empty when the server says that there is none. */
    Optional<String> text(URI address) {
        return attempt(address, () -> {
            HttpURLConnection connection = open(address);
            try {
                if (isMissing(connection)) {
                    return Optional.empty();
                }
                requireSuccess(connection);
                try (InputStream content = connection.getInputStream()) {
                    return Optional.of(new String(content.readAllBytes(), StandardCharsets.UTF_8));
                }
            } finally {
                connection.disconnect();
            }
        });
    }

    /** Whether the server gives an answer at all, and that this exists; tried once. */
    boolean answers(URI address) {
        try {
            HttpURLConnection connection = open(address);
            try {
                return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Downloads a file unless it is there with the right checksum.
     *
     * @throws ProblemException DOWNLOAD_FAILED when there is no such file, the connection keeps breaking, or the checksum is wrong
     */
    void file(URI address, Path destination, Checksum expected) {
        if (Files.exists(destination) && expected.matches(destination)) {
            return;
        }
        Path part = destination.resolveSibling(destination.getFileName() + ".part");
        attempt(address, () -> {
            receive(address, part);
            return true;
        });
        if (!expected.matches(part)) {
            String actual = expected.of(part);
            disk.delete(part);
            throw failed(
                    address,
                    "has the " + expected.algorithm() + " " + actual,
                    expected.value(),
                    "what was downloaded is removed: run this again, or use another source of binaries");
        }
        disk.rename(part, destination);
    }

    private void receive(URI address, Path part) throws IOException {
        long received = Files.exists(part) ? Files.size(part) : 0;
        HttpURLConnection connection = open(address);
        try {
            if (received > 0) {
                connection.setRequestProperty("Range", "bytes=" + received + "-");
            }
            int status = connection.getResponseCode();
            if (received > 0 && status == RANGE_NOT_SATISFIABLE) {
                return; // All of it was received before; the checksum decides.
            }
            if (isMissing(connection)) {
                throw failed(address, "does not exist (HTTP status " + status + ")", "", "check the version");
            }
            requireSuccess(connection);
            if (received > 0 && status != PARTIAL_CONTENT) {
                disk.delete(part); // The server sends it from the beginning.
            }
            try (InputStream content = connection.getInputStream()) {
                disk.append(part, content);
            }
        } finally {
            connection.disconnect();
        }
    }

    private HttpURLConnection open(URI address) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection(proxyFor(address));
        connection.setConnectTimeout(Math.toIntExact(connectTimeout.toMillis()));
        connection.setReadTimeout(Math.toIntExact(readTimeout.toMillis()));
        connection.setUseCaches(false);
        return connection;
    }

    /** Java itself looks at no environment. */
    private Proxy proxyFor(URI address) {
        return proxy.proxyFor(address)
                .map(found -> new Proxy(
                        Proxy.Type.HTTP,
                        new InetSocketAddress(found.getHost(), found.getPort() < 0 ? HTTP_PORT : found.getPort())))
                .orElse(Proxy.NO_PROXY);
    }

    private static boolean isMissing(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        return status == HttpURLConnection.HTTP_NOT_FOUND || status == HttpURLConnection.HTTP_GONE;
    }

    private static void requireSuccess(HttpURLConnection connection) throws IOException {
        int status = connection.getResponseCode();
        if (status != HttpURLConnection.HTTP_OK && status != PARTIAL_CONTENT) {
            throw new IOException("HTTP status " + status);
        }
    }

    /** What one attempt does. */
    private interface Exchange<T> {
        T run() throws IOException;
    }

    private static <T> T attempt(URI address, Exchange<T> exchange) {
        IOException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return exchange.run();
            } catch (IOException e) {
                if (last != null) {
                    e.addSuppressed(last);
                }
                last = e;
            }
        }
        throw new ProblemException(
                new Problem(
                        ErrorCode.DOWNLOAD_FAILED,
                        address.toString(),
                        "could not be downloaded in " + ATTEMPTS + " attempts: " + last,
                        "",
                        "run this again, it goes on where it stopped, or use another source of binaries"),
                last == null ? new IOException("no attempt was made") : last);
    }

    private static ProblemException failed(URI address, String what, String expected, String next) {
        return ProblemException.of(ErrorCode.DOWNLOAD_FAILED, address.toString(), what, expected, next);
    }
}
