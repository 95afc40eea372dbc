package dev.ouroboros.e2e;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * The process of {@link AggregatedServer}: serves an API without resources to whoever shows a certificate of an authority in the file {@code trusted}, which it reads at each handshake, as servers made with
 * Kubernetes' own library go by a ConfigMap. Its key is in {@code server.p12}; both are in the directory that is its only argument.
 */
final class AggregatedApi {
    private static final char[] PASSWORD = "tried".toCharArray();
    private static final String ANSWER =
            "{\"kind\": \"APIResourceList\", \"apiVersion\": \"v1\", \"groupVersion\": \"tried.example/v1alpha1\", \"resources\": []}";

    private AggregatedApi() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("server.p12"))) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), new TrustManager[] {new Trust(directory.resolve("trusted"))}, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(AggregatedServer.PORT), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setNeedClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        byte[] answer = ANSWER.getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            // Each request has a handshake of its own.
            exchange.getResponseHeaders().set("Connection", "close");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    /** Whom the file names at this moment. */
    private record Trust(Path file) implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            for (X509Certificate authority : getAcceptedIssuers()) {
                try {
                    chain[0].verify(authority.getPublicKey());
                    chain[0].checkValidity();
                    return;
                } catch (GeneralSecurityException e) {
                    // Not this one's: perhaps the next one's.
                }
            }
            throw new CertificateException("nobody who is trusted issued it: " + chain[0].getSubjectX500Principal());
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("it asks nobody");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            try {
                return CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)))
                        .stream()
                        .map(X509Certificate.class::cast)
                        .toList()
                        .toArray(new X509Certificate[0]);
            } catch (CertificateException e) {
                throw new IllegalStateException(file + " cannot be read", e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
