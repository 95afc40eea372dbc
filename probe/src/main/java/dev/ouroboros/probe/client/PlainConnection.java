package dev.ouroboros.probe.client;

import dev.ouroboros.endpoint.Endpoint;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One TLS connection that speaks HTTP/1.1 and never does anything twice. Written out because every HTTP library repeats some
 * requests behind its caller's back, and those are what a probe must see.
 *
 * <p>Used by one thread; {@link #abort} may be called by any.
 */
final class PlainConnection implements AutoCloseable {
    private final Endpoint endpoint;
    private final Socket socket;
    private final SSLSocket tls;
    private final BufferedInputStream input;
    private final OutputStream output;
    private boolean reusable = true;

    private PlainConnection(Endpoint endpoint, Socket socket, SSLSocket tls) throws IOException {
        this.endpoint = endpoint;
        this.socket = socket;
        this.tls = tls;
        this.input = new BufferedInputStream(tls.getInputStream());
        this.output = tls.getOutputStream();
    }

    /**
     * Connects a socket and shakes hands.
     *
     * @param socket a new socket; closing it from another thread aborts whatever this connection is doing
     */
    static PlainConnection open(Endpoint endpoint, SSLContext context, Socket socket, Duration timeout)
            throws IOException {
        socket.connect(endpoint.address(), Math.toIntExact(timeout.toMillis()));
        socket.setTcpNoDelay(true);
        SSLSocket tls =
                (SSLSocket) context.getSocketFactory().createSocket(socket, endpoint.host(), endpoint.port(), true);
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        tls.setSSLParameters(parameters);
        tls.startHandshake();
        return new PlainConnection(endpoint, socket, tls);
    }

    /** Sends a request and reads its whole answer. */
    Outcome.Answered exchange(ApiRequest request, boolean keepAlive) throws IOException {
        output.write(encode(request, keepAlive));
        output.flush();
        int status = statusOf(readLine());
        Map<String, String> headers = readHeaders();
        byte[] body = readBody(headers);
        reusable = reusable && keepAlive && !"close".equalsIgnoreCase(headers.getOrDefault("connection", ""));
        return new Outcome.Answered(status, new String(body, StandardCharsets.UTF_8), 0);
    }

    /** Whether another request may be sent: the server has not closed the connection while it was idle. */
    boolean alive() {
        if (!reusable) {
            return false;
        }
        try {
            // Nothing may arrive between two requests: data or an end means that the server is done with this
            // connection.
            tls.setSoTimeout(1);
            try {
                input.read();
                return false;
            } catch (SocketTimeoutException e) {
                return true;
            } finally {
                tls.setSoTimeout(0);
            }
        } catch (IOException e) {
            return false;
        }
    }

    boolean reusable() {
        return reusable;
    }

    /** Ends the connection at once, from any thread. */
    void abort() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        tls.close();
    }

    private byte[] encode(ApiRequest request, boolean keepAlive) {
        byte[] body = request.bodyBytes();
        StringBuilder head = new StringBuilder()
                .append(request.method())
                .append(' ')
                .append(endpoint.target(request.path()))
                .append(" HTTP/1.1\r\nHost: ")
                .append(endpoint.authority())
                .append("\r\n");
        request.headers(endpoint.token())
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        if (request.body().isPresent()) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        if (!keepAlive) {
            head.append("Connection: close\r\n");
        }
        byte[] headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] message = Arrays.copyOf(headBytes, headBytes.length + body.length);
        System.arraycopy(body, 0, message, headBytes.length, body.length);
        return message;
    }

    private static int statusOf(String statusLine) throws IOException {
        String[] parts = statusLine.split(" ", 3);
        if (parts.length < 2 || !parts[0].startsWith("HTTP/1.") || !parts[1].matches("\\d{3}")) {
            throw new IOException("not an HTTP/1.1 answer: " + statusLine);
        }
        return Integer.parseInt(parts[1]);
    }

    private Map<String, String> readHeaders() throws IOException {
        Map<String, String> headers = new TreeMap<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            if (colon < 1) {
                throw new IOException("not an HTTP header: " + line);
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private byte[] readBody(Map<String, String> headers) throws IOException {
        if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            return readChunks();
        }
        Optional<String> length = Optional.ofNullable(headers.get("content-length"));
        if (length.isPresent()) {
            return readExactly(parse(length.get(), 10));
        }
        reusable = false;
        return input.readAllBytes();
    }

    private byte[] readChunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = parse(readLine().split(";", 2)[0].strip(), 16);
            if (size == 0) {
                // Trailers end like headers do.
                readHeaders();
                return body.toByteArray();
            }
            body.writeBytes(readExactly(size));
            readLine();
        }
    }

    private byte[] readExactly(int length) throws IOException {
        byte[] bytes = input.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("EOF after " + bytes.length + " of " + length + " bytes of the answer");
        }
        return bytes;
    }

    private static int parse(String number, int radix) throws IOException {
        try {
            return Integer.parseUnsignedInt(number, radix);
        } catch (NumberFormatException e) {
            throw new IOException("not a length: " + number, e);
        }
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        InputStream in = input;
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("EOF before the end of the answer");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
