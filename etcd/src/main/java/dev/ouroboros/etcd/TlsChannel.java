package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A TLS connection on which HTTP/2 was agreed. It ends with the socket: nobody waits for the peer's close_notify. */
final class TlsChannel implements ByteChannel {
    private static final String HTTP_2 = "h2";
    private static final int PIECE = 1 << 14;

    private final Socket plain;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] piece = new byte[PIECE];
    private boolean heard;
    private volatile boolean closed;

    private TlsChannel(Socket plain, SSLSocket tls) throws IOException {
        this.plain = plain;
        this.in = tls.getInputStream();
        this.out = tls.getOutputStream();
    }

    /**
     * Connects, and checks that the server is who it says, by its certificate's names.
     *
     * @param limit for the connection and each answer of the handshake
     */
    static TlsChannel connect(Endpoint server, Duration limit) throws IOException {
        Socket plain = new Socket();
        try {
            plain.connect(server.address(), (int) limit.toMillis());
            plain.setSoTimeout((int) limit.toMillis());
            plain.setTcpNoDelay(true);
            SSLSocket tls = (SSLSocket)
                    server.newSslContext().getSocketFactory().createSocket(plain, server.host(), server.port(), true);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            parameters.setApplicationProtocols(new String[] {HTTP_2});
            tls.setSSLParameters(parameters);
            tls.startHandshake();
            // From here on who uses the channel watches over it: an answer may take longer than a handshake.
            plain.setSoTimeout(0);
            if (!HTTP_2.equals(tls.getApplicationProtocol())) {
                throw new ProtocolException("speaks TLS, but not HTTP/2");
            }
            return new TlsChannel(plain, tls);
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int read;
        try {
            read = in.read(piece, 0, Math.min(piece.length, target.remaining()));
        } catch (SocketException e) {
            throw explained(e);
        }
        if (read > 0) {
            heard = true;
            target.put(piece, 0, read);
        }
        return read;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        try {
            out.write(bytes);
            out.flush();
        } catch (SocketException e) {
            throw explained(e);
        }
        return bytes.length;
    }

    private IOException explained(SocketException e) {
        // A reset closes the socket as well: only our own flag tells that we closed it.
        return heard || closed ? e : new ClosedAfterHandshake(e);
    }

    /**
     * A TLS 1.3 server checks our certificate after our side has completed the handshake. It sends an alert and closes the connection; the
     * alert is lost when we write just then.
     */
    static final class ClosedAfterHandshake extends IOException {
        private static final long serialVersionUID = 1;

        ClosedAfterHandshake(SocketException cause) {
            super("it closed the connection right after the handshake", cause);
        }
    }

    @Override
    public boolean isOpen() {
        return !plain.isClosed();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        plain.close();
    }
}
