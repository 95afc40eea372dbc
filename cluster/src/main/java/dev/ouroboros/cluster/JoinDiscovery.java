package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ServerClock;
import dev.ouroboros.endpoint.AuthorityHash;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.PresentedCertificates;
import dev.ouroboros.model.component.JoiningObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a cluster tells a machine that wants to join and has a bootstrap token. The token is sent only after the server has proven by its certificate
 * that it belongs to the cluster of the named authority.
 */
public final class JoinDiscovery implements AutoCloseable {
    private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(10);
    /**
     * The signer dates a certificate back by this ({@code Backdate} in pkg/controller/certificates/signer): where the machine's clock is behind by
     * more, its certificate would not be valid yet.
     */
    private static final Duration MOST_SKEW = Duration.ofMinutes(5);

    private static final String ENDED =
            "somebody takes the connection and ends it: it is a load balancer without a server, or no API server";

    private static final String MAKE_A_TOKEN =
            "make another one where there is an administrator's kubeconfig: ouro token create";
    private static final String CONFIG_NAME = "ConfigMap kube-system/" + JoiningObjects.NAME;
    private static final ApiPath CONFIG =
            ApiPath.core("kube-system", "configmaps").named(JoiningObjects.NAME);

    private final ClusterClient client;
    private final Endpoint endpoint;
    private final String tokenId;
    private final X509Certificate authority;

    /** Whom to trust. */
    public sealed interface Trust {
        /** The authority of this hash, which the server sends with its own certificate. */
        record Hash(AuthorityHash hash) implements Trust {}

        /** One of these. */
        record Certificates(List<X509Certificate> authorities) implements Trust {}
    }

    /** @param tokenId the part of the token that is no secret */
    private JoinDiscovery(Endpoint endpoint, X509Certificate authority, String tokenId) {
        this.endpoint = endpoint;
        this.client = ClusterClient.connect(endpoint, ANSWERS_WITHIN);
        this.authority = authority;
        this.tokenId = tokenId;
    }

    /**
     * Finds the cluster's authority.
     *
     * @param server a URL of one of its API servers
     * @param token {@code ID.SECRET}
     * @throws ProblemException API_UNAVAILABLE when nobody answers, INVALID_KEY_MATERIAL when somebody else does, BAD_USAGE when the server's
     *     certificate is not for this address or this machine's clock is wrong
     */
    public static JoinDiscovery of(URI server, Trust trust, String token, InstantSource clock) {
        Endpoint address = Endpoint.of(server, List.of(), Optional.empty(), Optional.empty());
        List<X509Certificate> shown = shown(address, () -> PresentedCertificates.of(address.address(), ANSWERS_WITHIN));
        X509Certificate authority = switch (trust) {
            case Trust.Certificates(List<X509Certificate> given) -> requireIssuer(server, shown, given);
            case Trust.Hash(AuthorityHash hash) -> authority(server, shown, hash);
        };
        requireFitting(server, address.host(), shown.getFirst(), clock.instant());
        Endpoint trusted = Endpoint.of(server, List.of(authority), Optional.empty(), Optional.of(token));
        requireSameTime(trusted, clock);
        return new JoinDiscovery(trusted, authority, token.substring(0, token.indexOf('.')));
    }

    /**
     * The hash of a cluster's authority, when its API server presents that authority with its own certificate. Empty when it does not: then a machine
     * that joins has to be given the authority itself.
     *
     * @param endpoint whose authorities are trusted: the server proves that it is of one of them
     * @throws ProblemException API_UNAVAILABLE when nobody answers, or somebody else does
     */
    public static Optional<AuthorityHash> shownAuthority(Endpoint endpoint) {
        List<X509Certificate> shown = shown(endpoint, () -> PresentedCertificates.ofTrusted(endpoint, ANSWERS_WITHIN));
        return shown.stream()
                .skip(1)
                .filter(authority -> isIssued(shown.getFirst(), authority))
                .map(AuthorityHash::of)
                .findFirst();
    }

    private interface Handshake {
        List<X509Certificate> shake() throws IOException;
    }

    private static List<X509Certificate> shown(Endpoint endpoint, Handshake handshake) {
        try {
            return handshake.shake();
        } catch (IOException e) {
            String why = switch (e) {
                case ConnectException _ -> "nobody listens there, or a firewall refuses it";
                case NoRouteToHostException _ -> "no machine has that address now, or a firewall refuses it";
                case UnknownHostException unknown -> "the name " + unknown.getMessage() + " cannot be resolved";
                case SocketTimeoutException _ -> "no answer within " + ANSWERS_WITHIN.toSeconds() + " s";
                case IOException ended
                when isEnd(ended) || (ended.getCause() instanceof IOException cause && isEnd(cause)) -> ENDED;
                default -> String.valueOf(e.getMessage());
            };
            throw new ProblemException(
                    new Problem(
                            ErrorCode.API_UNAVAILABLE,
                            endpoint.server().toString(),
                            why,
                            "an API server that this machine reaches",
                            "see that it is the address of a control-plane node, that TCP port " + endpoint.port()
                                    + " is open between the two, and that the server runs: ouro status, on that node"),
                    e);
        }
    }

    /** Whether an open connection was ended; a machine without a route causes a SocketException, too. */
    private static boolean isEnd(IOException e) {
        String what = String.valueOf(e.getMessage());
        return e instanceof EOFException
                || (e instanceof SocketException && (what.contains("reset") || what.contains("Broken pipe")));
    }

    private static X509Certificate authority(URI server, List<X509Certificate> shown, AuthorityHash hash) {
        List<X509Certificate> authorities = shown.subList(1, shown.size());
        if (authorities.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    server.toString(),
                    "sends its own certificate without its authority's, so that --ca-hash has nothing to compare with",
                    "a serving certificate of an ouro that renders both",
                    "copy tls/ca.crt of the asset directory to this machine, and say --ca-file FILE in place of --ca-hash");
        }
        X509Certificate named = authorities.stream()
                .filter(each -> AuthorityHash.of(each).equals(hash))
                .findFirst()
                .orElseThrow(() -> somebodyElse(
                        "--ca-hash",
                        server + " shows the authority " + AuthorityHash.of(authorities.getLast()),
                        hash.toString()));
        if (!isIssued(shown.getFirst(), named)) {
            // Everybody can show the authority's certificate: it is no secret.
            throw somebodyElse(
                    "--ca-hash",
                    server + " shows that authority, which did not issue its own certificate",
                    "a certificate of that authority");
        }
        return named;
    }

    private static X509Certificate requireIssuer(URI server, List<X509Certificate> shown, List<X509Certificate> given) {
        return given.stream()
                .filter(authority -> isIssued(shown.getFirst(), authority))
                .findFirst()
                .orElseThrow(() -> somebodyElse(
                        "--ca-file",
                        "holds " + given.getFirst().getSubjectX500Principal()
                                + ", which did not issue the certificate of " + server,
                        "the authority of that server's cluster"));
    }

    private static ProblemException somebodyElse(String where, String what, String expected) {
        return ProblemException.of(
                ErrorCode.INVALID_KEY_MATERIAL,
                where,
                what,
                expected,
                "this is another cluster, or somebody between: nothing was sent to it. 'ouro token create' of the cluster"
                        + " prints the address and the hash that belong together");
    }

    private static boolean isIssued(X509Certificate certificate, X509Certificate authority) {
        try {
            certificate.verify(authority.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            // The signature is of another key, or of another kind of key.
            return false;
        }
    }

    private static void requireFitting(URI server, String host, X509Certificate leaf, Instant now) {
        Instant begin = leaf.getNotBefore().toInstant();
        Instant end = leaf.getNotAfter().toInstant();
        if (now.isBefore(begin) || now.isAfter(end)) {
            throw wrongClock(
                    now,
                    "and the certificate of " + server + " is valid from " + begin + " to " + end,
                    "a time within that");
        }
        List<String> names = names(leaf);
        if (names.stream().noneMatch(asInCertificates(host)::equalsIgnoreCase)) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    server.toString(),
                    "the API server's certificate is not for " + host,
                    "one of " + String.join(", ", names),
                    "name one of these that leads to it; spec.apiServer.altNames of the Cluster document adds others");
        }
    }

    /** The IPv6 address as Java writes it for certificates: in full. */
    private static String asInCertificates(String host) {
        try {
            return InetAddress.ofLiteral(host).getHostAddress();
        } catch (IllegalArgumentException e) {
            return host;
        }
    }

    /** The addresses and names that a certificate is for. */
    private static List<String> names(X509Certificate leaf) {
        try {
            Collection<List<?>> entries =
                    Optional.ofNullable(leaf.getSubjectAlternativeNames()).orElse(List.of());
            List<String> names = new ArrayList<>();
            for (List<?> entry : entries) {
                if (entry.get(1) instanceof String name) {
                    names.add(name);
                }
            }
            return names;
        } catch (CertificateException e) {
            return List.of();
        }
    }

    private static void requireSameTime(Endpoint endpoint, InstantSource clock) {
        Optional<Instant> theirs;
        try {
            theirs = ServerClock.read(endpoint, ANSWERS_WITHIN);
        } catch (ApiException e) {
            throw new ProblemException(ClusterClient.problem("the API server " + endpoint.server(), e), e);
        }
        Instant now = clock.instant();
        if (theirs.isPresent() && Duration.between(theirs.get(), now).abs().compareTo(MOST_SKEW) > 0) {
            throw wrongClock(now, "and that of " + endpoint.server() + " " + theirs.get(), "within five minutes of it");
        }
    }

    private static ProblemException wrongClock(Instant now, String theirs, String expected) {
        return ProblemException.of(
                ErrorCode.BAD_USAGE,
                "this machine's clock",
                "says " + now.truncatedTo(ChronoUnit.SECONDS) + ", " + theirs,
                expected,
                "set it (timedatectl set-ntp true, or date -s), and run this again");
    }

    public URI server() {
        return endpoint.server();
    }

    public X509Certificate authority() {
        return authority;
    }

    /** As in {@code v1.20.2}. */
    public String serverVersion() {
        return client.serverVersion();
    }

    /**
     * What the cluster has written down for machines that join: texts by their keys.
     *
     * @throws ProblemException API_REFUSED when the token is not known or the cluster has nothing for it
     */
    public Map<String, String> settings() {
        return settings(client, e -> refusal(CONFIG_NAME, e));
    }

    /**
     * The same, for an administrator.
     *
     * @throws ProblemException API_REFUSED when the cluster has nothing for who joins, API_UNAVAILABLE when asking again may help
     */
    public static Map<String, String> settings(ClusterClient client) {
        return settings(
                client,
                e -> e.kind() == ApiException.Kind.NOT_FOUND
                        ? nothingForWhoJoins(CONFIG_NAME)
                        : ClusterClient.problem(CONFIG_NAME, e));
    }

    private static Map<String, String> settings(ClusterClient client, Function<ApiException, Problem> refusal) {
        try {
            return Metadata.texts(client.api().get(CONFIG).at("data"));
        } catch (ApiException e) {
            throw new ProblemException(refusal.apply(e), e);
        }
    }

    /**
     * The Node of this name.
     *
     * @throws ProblemException as {@link #settings} does
     */
    public Optional<Json> node(String name) {
        try {
            return client.api().find(ApiPath.core("nodes").named(name));
        } catch (ApiException e) {
            throw new ProblemException(refusal("Node " + name, e), e);
        }
    }

    private Problem refusal(String about, ApiException e) {
        return switch (e.refusal().map(ApiException.Refusal::code).orElse(0)) {
            case HttpURLConnection.HTTP_UNAUTHORIZED ->
                new Problem(
                        ErrorCode.API_REFUSED,
                        "--token " + tokenId,
                        "the cluster does not know it: it is mistyped, has expired, or was deleted",
                        "a token that 'ouro token list' names",
                        MAKE_A_TOKEN);
            case HttpURLConnection.HTTP_FORBIDDEN, HttpURLConnection.HTTP_NOT_FOUND -> nothingForWhoJoins(about);
            default -> ClusterClient.problem(about, e);
        };
    }

    private static Problem nothingForWhoJoins(String about) {
        return new Problem(
                ErrorCode.API_REFUSED,
                about,
                "is not there, or the token may not read it: the cluster was made by an ouro that knew no 'host join'",
                "what 'ouro render' writes to manifests/joining*.yaml",
                "bring the cluster to what this ouro renders: ouro upgrade plan, and apply");
    }

    @Override
    public void close() {
        client.close();
    }
}
