package dev.ouroboros.endpoint;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** An API endpoint and what a client needs to talk to it: whom to trust and who we are. */
public final class Endpoint {
    private static final int HTTPS_PORT = 443;

    private final URI server;
    private final Optional<String> token;
    private final boolean authenticated;
    private final boolean trustsPublicAuthorities;
    private final KeyManager[] keyManagers;
    private final TrustManager[] trustManagers;

    private Endpoint(
            URI server,
            Optional<String> token,
            boolean authenticated,
            boolean trustsPublicAuthorities,
            KeyManager[] keyManagers,
            TrustManager[] trustManagers) {
        this.server = server;
        this.token = token;
        this.authenticated = authenticated;
        this.trustsPublicAuthorities = trustsPublicAuthorities;
        this.keyManagers = keyManagers;
        this.trustManagers = trustManagers;
    }

    /**
     * An endpoint and the identity of its client.
     *
     * @param server an https URL; a path in it is put before every request's path
     * @param authorities the CA certificates to trust; empty for those of the JDK
     * @param identity the client certificate, if any
     * @param token the bearer token, if any
     */
    public static Endpoint of(
            URI server, List<X509Certificate> authorities, Optional<ClientIdentity> identity, Optional<String> token) {
        if (!"https".equalsIgnoreCase(server.getScheme()) || server.getHost() == null) {
            throw new IllegalArgumentException("not an https URL: " + server);
        }
        try {
            return new Endpoint(
                    server,
                    requireNonNull(token, "token"),
                    identity.isPresent() || token.isPresent(),
                    authorities.isEmpty(),
                    keyManagers(identity),
                    trustManagers(authorities));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("certificates or key cannot be used: " + e.getMessage(), e);
        }
    }

    /** The same trust and identity at another URL. */
    public Endpoint at(URI otherServer) {
        if (!"https".equalsIgnoreCase(otherServer.getScheme()) || otherServer.getHost() == null) {
            throw new IllegalArgumentException("not an https URL: " + otherServer);
        }
        return new Endpoint(otherServer, token, authenticated, trustsPublicAuthorities, keyManagers, trustManagers);
    }

    /**
     * Whether other servers of the cluster may be asked at their own addresses with these credentials: the authorities are the cluster's own, and no
     * proxy with a path stands before it. A certificate of a public authority proves no server of the cluster.
     */
    public boolean isOfTheClusterItself() {
        return !trustsPublicAuthorities
                && List.of("", "/")
                        .contains(Optional.ofNullable(server.getPath()).orElse(""));
    }

    public URI server() {
        return server;
    }

    /** Whether requests carry a client certificate or a token. */
    public boolean authenticated() {
        return authenticated;
    }

    public Optional<String> token() {
        return token;
    }

    /** The host as a socket address takes it: IPv6 addresses without brackets. */
    public String host() {
        String host = server.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    public int port() {
        return server.getPort() < 0 ? HTTPS_PORT : server.getPort();
    }

    /** The address, resolved anew by each call, as a new client would. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host(), port());
    }

    /** The value of a Host header. */
    public String authority() {
        return server.getHost() + ":" + port();
    }

    /** Path and query of a request for an API path. */
    public String target(String path) {
        String prefix = server.getRawPath() == null ? "" : server.getRawPath();
        return (prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix) + path;
    }

    public URI resolve(String path) {
        return URI.create("https://" + authority() + target(path));
    }

    /** A context that shares no TLS session with any other one: its first connection makes a full handshake. */
    public SSLContext newSslContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers, trustManagers, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime supports TLS", e);
        }
    }

    private static KeyManager[] keyManagers(Optional<ClientIdentity> identity) {
        return identity.map(ClientKeyManager::new).stream().toArray(KeyManager[]::new);
    }

    private static TrustManager[] trustManagers(List<X509Certificate> authorities) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        if (authorities.isEmpty()) {
            factory.init((KeyStore) null);
            return factory.getTrustManagers();
        }
        Set<TrustAnchor> anchors = authorities.stream()
                .map(authority -> new TrustAnchor(authority, null))
                .collect(Collectors.toSet());
        PKIXBuilderParameters trust = new PKIXBuilderParameters(anchors, null);
        // As the factory does for a store: Kubernetes' authorities publish no revocations.
        trust.setRevocationEnabled(false);
        factory.init(new CertPathTrustManagerParameters(trust));
        return factory.getTrustManagers();
    }
}
