package dev.ouroboros.node.front;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Shows certificates as an API server does: to those who ask for {@code apiserver-loopback-client} one of its own, to all
 * others the serving certificate, which it shares with the other API server of its node.
 */
final class TlsTestServer implements AutoCloseable {
    private static final String LOOPBACK = "loopback";
    private static final String SERVING = "serving";
    private static final char[] NO_PASSWORD = new char[0];

    private final SSLServerSocket listening;
    private final Thread acceptor;

    private TlsTestServer(SSLServerSocket listening) {
        this.listening = listening;
        this.acceptor = Thread.ofVirtual().start(this::accept);
    }

    /** A key and its self-signed certificate. */
    record Identity(PrivateKey key, X509Certificate certificate) {
        static Identity create(String name) throws GeneralSecurityException, OperatorCreationException {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            KeyPair pair = generator.generateKeyPair();
            X500Name subject = new X500Name("CN=" + name);
            Instant now = Instant.now();
            return new Identity(
                    pair.getPrivate(),
                    new JcaX509CertificateConverter()
                            .getCertificate(new JcaX509v3CertificateBuilder(
                                            subject,
                                            BigInteger.ONE,
                                            Date.from(now.minusSeconds(60)),
                                            Date.from(now.plusSeconds(3600)),
                                            subject,
                                            pair.getPublic())
                                    .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()))));
        }
    }

    static TlsTestServer start(NetworkNamespace namespace, int port, Identity serving) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        add(keys, SERVING, serving);
        add(keys, LOOPBACK, Identity.create("apiserver-loopback-client@" + System.nanoTime()));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager byName = new ByServerName((X509ExtendedKeyManager) factory.getKeyManagers()[0]);
        context.init(new KeyManager[] {byName}, null, null);
        return new TlsTestServer(listen(context, namespace, port));
    }

    private static void add(KeyStore keys, String alias, Identity identity) throws GeneralSecurityException {
        keys.setKeyEntry(alias, identity.key(), NO_PASSWORD, new Certificate[] {identity.certificate()});
    }

    private static SSLServerSocket listen(SSLContext context, NetworkNamespace namespace, int port)
            throws ExecutionException {
        return namespace.call(() -> {
            SSLServerSocket socket =
                    (SSLServerSocket) context.getServerSocketFactory().createServerSocket();
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("::"), port));
            return socket;
        });
    }

    private void accept() {
        try {
            while (true) {
                SSLSocket socket = (SSLSocket) listening.accept();
                Thread.ofVirtual().start(() -> shakeHands(socket));
            }
        } catch (IOException e) {
            if (!listening.isClosed()) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void shakeHands(SSLSocket socket) {
        try (socket) {
            socket.startHandshake();
            while (socket.getInputStream().read() >= 0) {}
        } catch (SSLException | java.net.SocketException e) {
            // The client has seen the certificate and left.
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class ByServerName extends X509ExtendedKeyManager {
        private final X509ExtendedKeyManager keys;

        ByServerName(X509ExtendedKeyManager keys) {
            this.keys = keys;
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            ExtendedSSLSession session = (ExtendedSSLSession) ((SSLSocket) socket).getHandshakeSession();
            return session.getRequestedServerNames().stream()
                            .anyMatch(name -> name.toString().contains(CertificateIdentity.LOOPBACK_NAME))
                    ? LOOPBACK
                    : SERVING;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return keys.getServerAliases(keyType, issuers);
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return keys.getClientAliases(keyType, issuers);
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return keys.chooseClientAlias(keyTypes, issuers, socket);
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return keys.getCertificateChain(alias);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return keys.getPrivateKey(alias);
        }
    }
}
