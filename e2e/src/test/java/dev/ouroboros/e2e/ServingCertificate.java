package dev.ouroboros.e2e;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** The certificate that clients of a sandbox's API are shown, and that the cluster's CA vouches for. */
final class ServingCertificate {
    private final OuroProgram ouro;

    ServingCertificate(OuroProgram ouro) {
        this.ouro = ouro;
    }

    /** In PEM, without a line break at its end. */
    String pem() throws IOException, GeneralSecurityException {
        URI server = URI.create(ouro.kubectlJson("config", "view")
                .at("/clusters/0/cluster/server")
                .asText());
        try (SSLSocket socket =
                (SSLSocket) context().getSocketFactory().createSocket(server.getHost(), server.getPort())) {
            socket.startHandshake();
            return pem(socket.getSession().getPeerCertificates()[0]);
        }
    }

    private static String pem(Certificate certificate) throws GeneralSecurityException {
        String lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(certificate.getEncoded());
        return "-----BEGIN CERTIFICATE-----\n" + lines + "\n-----END CERTIFICATE-----";
    }

    private SSLContext context() throws IOException, GeneralSecurityException {
        byte[] authority =
                ouro.inNode("cat", OuroProgram.ASSETS + "/tls/ca.crt").getBytes(StandardCharsets.US_ASCII);
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry(
                "ca", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(authority)));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
