package dev.ouroboros.api;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One HTTP/1.1 connection over TLS, for one request at a time. Java's own clients weigh more than all the rest of the keeper (a selector thread,
 * HTTP/2, buffers) or cannot PATCH; this one needs a socket and 8 KiB.
 *
 * <p>The server's certificate must come from the context's authority. Whether it must also name the dialled host, the caller says: a certificate need
 * not name a node's loopback address.
 *
 * <p>Nothing waits longer than the limit given last to {@link #within}. Interrupting the virtual thread that waits ends the wait and the connection.
 */
public final class HttpConnection implements AutoCloseable {
    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 100;
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] \\d{3}( .*)?");
    private static final Pattern LENGTH = Pattern.compile("\\d{1,12}");
    private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,8}");

    private final Socket plain;
    private final SSLSocket secure;
    private final InputStream input;
    private final OutputStream output;
    private long deadline;
    private boolean reusable = true;

    /**
     * @param target path and query
     * @param headers besides Host and Content-Length
     * @param body empty for none
     */
    public record Request(String method, String target, String host, Map<String, String> headers, String body) {
        public static Request get(String target, String host) {
            return new Request("GET", target, host, Map.of(), "");
        }
    }

    /** The head of an answer; the body must be read to its end before the connection can be used again. */
    public record Answer(int status, String statusLine, Map<String, String> headers, InputStream body) {
        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
        }

        /** The body, if it has at most so many bytes. */
        public byte[] bodyUpTo(int limit) throws IOException {
            byte[] bytes = body.readNBytes(limit);
            if (bytes.length == limit && body.read() >= 0) {
                throw new ProtocolException("the answer is larger than " + limit + " bytes");
            }
            return bytes;
        }
    }

    private HttpConnection(Socket plain, SSLSocket secure, Duration limit) throws IOException {
        this.plain = plain;
        this.secure = secure;
        this.input = new BufferedInputStream(new Bounded(secure.getInputStream()));
        this.output = secure.getOutputStream();
        within(limit);
    }

    /** Whether the host that was dialled must be among the names of the server's certificate, as RFC 9110 section 4.3.4 has it. */
    public enum ServerNames {
        COMPARED,
        NOT_COMPARED
    }

    /** Connects and shakes hands, each within the limit; the server's names are not compared. */
    public static HttpConnection open(SSLContext context, InetSocketAddress address, Duration limit)
            throws IOException {
        return open(context, address, SourcePorts.ANY, limit, ServerNames.NOT_COMPARED);
    }

    /** Connects and shakes hands, each within the limit. */
    public static HttpConnection open(SSLContext context, InetSocketAddress address, Duration limit, ServerNames names)
            throws IOException {
        return open(context, address, SourcePorts.ANY, limit, names);
    }

    /** A connection attempt that got no answer at all, not even a refusal. */
    static final class NobodyThere extends SocketTimeoutException {
        private static final long serialVersionUID = 1;

        NobodyThere(String message) {
            super(message);
        }
    }

    /** Limits for connecting and for the handshake. The kernel connects, however busy the server is, so that the first may be shorter. */
    record OpeningLimits(Duration connect, Duration handshake) {}

    /** Connects and shakes hands, each within the limit. */
    static HttpConnection open(
            SSLContext context, InetSocketAddress address, SourcePorts ports, Duration limit, ServerNames names)
            throws IOException {
        return open(context, address, ports, new OpeningLimits(limit, limit), names);
    }

    /** @throws NobodyThere when connecting takes too long, or there is no way to the address */
    static HttpConnection open(
            SSLContext context, InetSocketAddress address, SourcePorts ports, OpeningLimits limits, ServerNames names)
            throws IOException {
        for (int attempt = 1; attempt < ports.tries(); attempt++) {
            try {
                return openOnce(context, address, ports, limits, names);
            } catch (BindException e) {
                // The exception of the last attempt is thrown below.
            }
        }
        return openOnce(context, address, ports, limits, names);
    }

    private static HttpConnection openOnce(
            SSLContext context, InetSocketAddress address, SourcePorts ports, OpeningLimits limits, ServerNames names)
            throws IOException {
        Socket plain = new Socket();
        try {
            ports.bind(plain);
            plain.setTcpNoDelay(true);
            connect(plain, address, limits.connect());
            plain.setSoTimeout(Math.toIntExact(limits.handshake().toMillis()));
            SSLSocket secure = (SSLSocket)
                    context.getSocketFactory().createSocket(plain, address.getHostString(), address.getPort(), true);
            if (names == ServerNames.COMPARED) {
                SSLParameters parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
            }
            secure.startHandshake();
            return new HttpConnection(plain, secure, limits.handshake());
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    private static void connect(Socket plain, InetSocketAddress address, Duration limit) throws IOException {
        try {
            plain.connect(address, Math.toIntExact(limit.toMillis()));
        } catch (SocketTimeoutException | NoRouteToHostException e) {
            NobodyThere nobody = new NobodyThere(String.valueOf(e.getMessage()));
            nobody.initCause(e);
            throw nobody;
        }
    }

    /** Limits everything that follows, together, until it is called again. */
    public void within(Duration limit) {
        deadline = System.nanoTime() + limit.toNanos();
    }

    /** The certificate that the server presented, whose names were not compared. */
    public X509Certificate serverCertificate() throws IOException {
        return secure.getSession().getPeerCertificates()[0] instanceof X509Certificate certificate
                ? certificate
                : refuse();
    }

    private static X509Certificate refuse() throws IOException {
        throw new ProtocolException("the server's certificate is none of X.509");
    }

    /** Whether the last answer was read to its end and the server keeps the connection. */
    public boolean isReusable() {
        return reusable && !plain.isClosed();
    }

    boolean isOpen() {
        return !plain.isClosed();
    }

    public Answer exchange(Request request) throws IOException {
        StringBuilder head = new StringBuilder(256)
                .append(request.method())
                .append(' ')
                .append(request.target())
                .append(" HTTP/1.1\r\nHost: ")
                .append(request.host())
                .append("\r\n");
        request.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        byte[] body = request.body().getBytes(StandardCharsets.UTF_8);
        if (body.length > 0) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        head.append("\r\n");
        reusable = false;
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(head.toString().getBytes(StandardCharsets.US_ASCII));
        whole.writeBytes(body);
        whole.writeTo(output);
        output.flush();
        return readAnswer();
    }

    private Answer readAnswer() throws IOException {
        String statusLine = readLine();
        if (!STATUS_LINE.matcher(statusLine).matches()) {
            throw new ProtocolException("not an HTTP answer");
        }
        int status = Integer.parseInt(statusLine.substring(9, 12));
        Map<String, String> headers = new HashMap<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            if (colon <= 0 || headers.size() >= MOST_HEADERS) {
                throw new ProtocolException("malformed headers");
            }
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        boolean kept =
                statusLine.startsWith("HTTP/1.1") && !"close".equalsIgnoreCase(headers.getOrDefault("connection", ""));
        return new Answer(status, statusLine, headers, body(status, headers, kept));
    }

    private InputStream body(int status, Map<String, String> headers, boolean kept) throws IOException {
        if ("chunked".equalsIgnoreCase(headers.getOrDefault("transfer-encoding", ""))) {
            return new Chunked(kept);
        }
        String length = headers.get("content-length");
        if (length != null) {
            if (!LENGTH.matcher(length).matches()) {
                throw new ProtocolException("Content-Length is no number");
            }
            return new Sized(Long.parseLong(length), kept);
        }
        return status == 204 || status == 304 ? new Sized(0, kept) : input;
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new EOFException(
                        line.isEmpty() ? "closed the connection without an answer" : "cut off in the middle of a line");
            }
            if (line.length() >= LONGEST_LINE) {
                throw new ProtocolException("a line is longer than " + LONGEST_LINE + " bytes");
            }
            line.append((char) next);
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
    }

    /** Closes the socket beneath TLS: a peer that hangs cannot delay us with its close_notify. */
    @Override
    public void close() {
        try {
            plain.close();
        } catch (IOException e) {
            // The descriptor is released whatever close() says, and nobody can do more about it.
            reusable = false;
        }
    }

    /** Every wait ends at the deadline. */
    private final class Bounded extends InputStream {
        private final InputStream stream;

        Bounded(InputStream stream) {
            this.stream = stream;
        }

        private void bound() throws IOException {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new SocketTimeoutException("no answer in time");
            }
            secure.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
        }

        @Override
        public int read() throws IOException {
            bound();
            return stream.read();
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            bound();
            return stream.read(buffer, offset, length);
        }
    }

    /** A body of known length. */
    private final class Sized extends InputStream {
        private final boolean kept;
        private long left;

        Sized(long left, boolean kept) {
            this.left = left;
            this.kept = kept;
            reusable = kept && left == 0;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int count = input.read(buffer, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("cut off, " + left + " bytes before the end");
            }
            left -= count;
            reusable = kept && left == 0;
            return count;
        }
    }

    /** A chunked body: RFC 9112, section 7.1; trailers are skipped. */
    private final class Chunked extends InputStream {
        private final boolean kept;
        private long left;
        private boolean first = true;
        private boolean ended;

        Chunked(boolean kept) {
            this.kept = kept;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (left == 0 && !ended) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int count = input.read(buffer, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException("cut off in the middle of a chunk");
            }
            left -= count;
            return count;
        }

        private void skipTrailers() throws IOException {
            String line = readLine();
            while (!line.isEmpty()) {
                line = readLine();
            }
        }

        private void nextChunk() throws IOException {
            if (!first && !readLine().isEmpty()) {
                throw new ProtocolException("a chunk is longer than it says");
            }
            first = false;
            String size = readLine();
            int extension = size.indexOf(';');
            String digits = (extension < 0 ? size : size.substring(0, extension)).strip();
            if (!CHUNK_SIZE.matcher(digits).matches()) {
                throw new ProtocolException("a chunk has no size");
            }
            left = Long.parseLong(digits, 16);
            if (left == 0) {
                skipTrailers();
                ended = true;
                reusable = kept;
            }
        }
    }
}
