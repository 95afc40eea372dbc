package dev.ouroboros.node.front;

import dev.ouroboros.model.digest.Sha256;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Which API server process answered. Two API servers on a node show the same serving certificate, but for the name {@link
 * #LOOPBACK_NAME} each shows one that it made for itself when it started (kubernetes,
 * staging/src/k8s.io/apiserver/pkg/server/options/serving_with_loopback.go).
 *
 * @param fingerprint SHA-256 of the certificate, in hexadecimal
 */
public record CertificateIdentity(String fingerprint) {
    /** The name in the certificate that an API server makes to dial itself. */
    public static final String LOOPBACK_NAME = "apiserver-loopback-client";

    /**
     * Asks whoever answers at an address. Nothing is trusted and nothing secret is sent: the handshake ends with the
     * certificate.
     *
     * @throws IOException when nobody answers with a certificate in time
     */
    public static CertificateIdentity of(InetAddress address, int port, Duration timeout) throws IOException {
        int milliseconds = Math.toIntExact(timeout.toMillis());
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), milliseconds);
            socket.setSoTimeout(milliseconds);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new AnyCertificate()}, null);
            try (SSLSocket secured =
                    (SSLSocket) context.getSocketFactory().createSocket(socket, address.getHostAddress(), port, true)) {
                SSLParameters parameters = secured.getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(LOOPBACK_NAME)));
                secured.setSSLParameters(parameters);
                secured.startHandshake();
                return of(secured.getSession().getPeerCertificates()[0]);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificate from " + address.getHostAddress() + ":" + port, e);
        }
    }

    private static CertificateIdentity of(Certificate certificate) throws GeneralSecurityException {
        return new CertificateIdentity(Sha256.hex(certificate.getEncoded()));
    }

    /** Accepts every certificate: we want to know which one it is, and send nothing to its owner. */
    private static final class AnyCertificate extends X509ExtendedTrustManager {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
