package dev.ouroboros.endpoint;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** Reads the PEM that kubeconfigs hold; the JDK alone reads neither PKCS#1 nor SEC1 keys. */
final class KubeconfigPem {
    private KubeconfigPem() {}

    /**
     * The certificates of a PEM text in their order.
     *
     * @throws IOException when there is none or one cannot be read
     */
    static List<X509Certificate> certificates(byte[] pem) throws IOException {
        try {
            List<X509Certificate> certificates = new ArrayList<>();
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (var certificate : factory.generateCertificates(new ByteArrayInputStream(pem))) {
                certificates.add((X509Certificate) certificate);
            }
            if (certificates.isEmpty()) {
                throw new IOException("no certificate in it");
            }
            return certificates;
        } catch (CertificateException e) {
            throw new IOException("not a PEM certificate: " + e.getMessage(), e);
        }
    }

    /**
     * The first private key of a PEM text: PKCS#8, PKCS#1 (RSA PRIVATE KEY) or SEC1 (EC PRIVATE KEY, with or without EC
     * PARAMETERS before it).
     *
     * @throws IOException when there is none, it is encrypted or it cannot be read
     */
    static PrivateKey privateKey(byte[] pem) throws IOException {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        try (PEMParser parser = new PEMParser(new StringReader(new String(pem, StandardCharsets.UTF_8)))) {
            for (Object object = parser.readObject(); object != null; object = parser.readObject()) {
                switch (object) {
                    case PEMKeyPair pair -> {
                        // Not getKeyPair: the public part is optional in SEC1.
                        return converter.getPrivateKey(pair.getPrivateKeyInfo());
                    }
                    case PrivateKeyInfo key -> {
                        return converter.getPrivateKey(key);
                    }
                    default -> {
                        // EC PARAMETERS, or a certificate in the same file: the key comes after it.
                    }
                }
            }
        }
        throw new IOException("no unencrypted private key in it");
    }
}
