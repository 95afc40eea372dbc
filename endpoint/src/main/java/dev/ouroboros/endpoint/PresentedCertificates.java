package dev.ouroboros.endpoint;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The certificates that a server presents to a client that does not know yet whom to trust: its own, and behind it those of authorities that it
 * chooses to send. The client sends nothing but the handshake, and must compare what it got with what it knows from elsewhere before it believes any
 * of it.
 */
public final class PresentedCertificates {
    private PresentedCertificates() {}

    /**
     * The certificates of a server that is not known yet: shakes hands, and closes the connection.
     *
     * @param limit for connecting, and again for each answer
     * @return the server's own first
     * @throws IOException when nobody answers there, or not in TLS
     */
    public static List<X509Certificate> of(InetSocketAddress server, Duration limit) throws IOException {
        return of(looking(), server, limit);
    }

    /**
     * The certificates of a server that proves that it is of the endpoint's authorities.
     *
     * @throws IOException also when it does not prove that
     */
    public static List<X509Certificate> ofTrusted(Endpoint endpoint, Duration limit) throws IOException {
        return of(endpoint.newSslContext(), endpoint.address(), limit);
    }

    private static List<X509Certificate> of(SSLContext context, InetSocketAddress server, Duration limit)
            throws IOException {
        int milliseconds = Math.toIntExact(limit.toMillis());
        try (Socket plain = new Socket()) {
            plain.connect(server, milliseconds);
            plain.setSoTimeout(milliseconds);
            SSLSocket secure = (SSLSocket)
                    context.getSocketFactory().createSocket(plain, server.getHostString(), server.getPort(), true);
            secure.startHandshake();
            List<X509Certificate> shown = new ArrayList<>();
            for (Certificate certificate : secure.getSession().getPeerCertificates()) {
                if (certificate instanceof X509Certificate known) {
                    shown.add(known);
                }
            }
            return shown;
        }
    }

    private static SSLContext looking() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Looking()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime supports TLS", e);
        }
    }

    /** Accepts everything, as nothing is done with the connection. */
    private static final class Looking extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
