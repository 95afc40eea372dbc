package dev.ouroboros.endpoint.testing;

import dev.ouroboros.endpoint.ClientIdentity;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;

/** A certificate authority that lives as long as a test. */
public final class TestAuthority {
    /** An address that nobody has (RFC 5737), for a node of a test. */
    public static final String NODE = "192.0.2.1";

    private static final char[] NO_PASSWORD = {};
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final KeyPair keys;
    private final X509Certificate certificate;

    public TestAuthority() throws GeneralSecurityException, IOException, OperatorCreationException {
        this.keys = ellipticKeys();
        this.certificate = sign("CN=authority", keys, "CN=authority", keys, true);
    }

    public X509Certificate certificate() {
        return certificate;
    }

    public static KeyPair ellipticKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    public static KeyPair rsaKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    /** A leaf for 127.0.0.1 and {@link #NODE}, good as a server's and as a client's. */
    public ClientIdentity leaf(String name, KeyPair leafKeys)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        X509Certificate leaf = sign("CN=" + name, leafKeys, "CN=authority", keys, false);
        return new ClientIdentity(leafKeys.getPrivate(), List.of(leaf));
    }

    /** A server's context that asks for a client certificate of this authority without insisting. */
    public SSLContext serverContext() throws GeneralSecurityException, IOException, OperatorCreationException {
        return serverContext(List.of());
    }

    /** As {@link #serverContext}, and the server sends these certificates behind its own. */
    public SSLContext serverContext(List<X509Certificate> behind)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        ClientIdentity server = leaf("server", ellipticKeys());
        List<X509Certificate> chain = new ArrayList<>(server.chain());
        chain.addAll(behind);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        store.setKeyEntry("server", server.key(), NO_PASSWORD, chain.toArray(X509Certificate[]::new));
        store.setCertificateEntry("authority", certificate);
        KeyManagerFactory keyFactory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keyFactory.init(store, NO_PASSWORD);
        TrustManagerFactory trustFactory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trustFactory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyFactory.getKeyManagers(), trustFactory.getTrustManagers(), null);
        return context;
    }

    /** A private key as OpenSSL writes it by default: SEC1 with the curve in it, or PKCS#1. */
    public static String traditionalPem(PrivateKey key) throws IOException {
        if (!(key instanceof ECPrivateKey elliptic)) {
            return pem(key);
        }
        PrivateKeyInfo info = PrivateKeyInfo.getInstance(key.getEncoded());
        var sec1 = new org.bouncycastle.asn1.sec.ECPrivateKey(
                256, elliptic.getS(), info.getPrivateKeyAlgorithm().getParameters());
        return pem(new PemObject("EC PRIVATE KEY", sec1.getEncoded()));
    }

    /** Whatever BouncyCastle knows how to write. */
    public static String pem(Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }

    private static X509Certificate sign(
            String subject, KeyPair subjectKeys, String issuer, KeyPair issuerKeys, boolean authority)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Name(issuer),
                BigInteger.valueOf(SERIAL.getAndIncrement()),
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofHours(1))),
                new X500Name(subject),
                subjectKeys.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        if (!authority) {
            GeneralName[] names = {
                new GeneralName(GeneralName.iPAddress, "127.0.0.1"), new GeneralName(GeneralName.iPAddress, NODE)
            };
            builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
        }
        return new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(issuerKeys.getPrivate())));
    }
}
