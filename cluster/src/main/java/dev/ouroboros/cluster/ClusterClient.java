package dev.ouroboros.cluster;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiClient;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.NoRouteToHostException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/** A connection to one API server as one user, for a command: what fails is a problem with its remedy. */
public final class ClusterClient implements AutoCloseable {
    /** Field manager of everything Ouroboros applies. */
    public static final String FIELD_MANAGER = "ouroboros";

    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);
    /** One of several servers is not waited for as long as the only one. */
    private static final Duration ONE_CONNECTS_WITHIN = Duration.ofSeconds(3);

    private static final String USER_AGENT = "ouro";
    private static final ApiPath VERSION = new ApiPath("/version");

    /** Codes of refusals that pass: a server that has just started may not know its users and resources yet. */
    private static final Set<Integer> PASSING = Set.of(401, 404, 408, 409, 429);

    private final ApiClient api;
    private final Endpoint endpoint;

    private ClusterClient(ApiClient api, Endpoint endpoint) {
        this.api = api;
        this.endpoint = endpoint;
    }

    /** Connects; nothing is sent yet. */
    public static ClusterClient connect(Endpoint endpoint) {
        return connect(endpoint, REQUEST_TIMEOUT);
    }

    /**
     * Connects; nothing is sent yet.
     *
     * @param timeout of each request
     */
    public static ClusterClient connect(Endpoint endpoint, Duration timeout) {
        return new ClusterClient(new ApiClient(endpoint, ApiClient.Limits.ofACommand(timeout), USER_AGENT), endpoint);
    }

    /** Whether its credentials may be shown to servers at other addresses ({@link #of}). */
    public boolean isOfTheClusterItself() {
        return endpoint.isOfTheClusterItself();
    }

    /**
     * A connection to one API server of the same cluster, wherever this one leads, as the same user. It must show a certificate of the same authorities;
     * its names are not compared.
     */
    public ClusterClient of(ServerAddress one) {
        if (!isOfTheClusterItself()) {
            throw new IllegalArgumentException("not of the cluster itself: " + endpoint.server());
        }
        Endpoint there = endpoint.at(URI.create("https://" + one));
        ApiClient.Limits limits = ApiClient.Limits.ofOneServer(ONE_CONNECTS_WITHIN, REQUEST_TIMEOUT, ApiServers.PORTS);
        return new ClusterClient(new ApiClient(there, limits, USER_AGENT), there);
    }

    public ApiClient api() {
        return api;
    }

    /** The server's URL, for messages. */
    public String server() {
        return endpoint.server().toString();
    }

    /** The server's version as it says it, for example {@code v1.20.2}. */
    public String serverVersion() {
        return asking(
                "its version",
                () -> api.get(VERSION)
                        .at("gitVersion")
                        .text()
                        .orElseThrow(() -> new ApiException(ApiException.Kind.GARBAGE, VERSION + ": no gitVersion")));
    }

    /**
     * Deletes an object, unless it is gone, or another object has its name.
     *
     * @return whether it was there
     */
    boolean deleteIfThere(ApiPath path, String uid, Api.Grace grace) throws ApiException {
        try {
            api.delete(path, uid, grace);
            return true;
        } catch (ApiException e) {
            if (e.kind() == ApiException.Kind.NOT_FOUND || e.kind() == ApiException.Kind.CONFLICT) {
                return false;
            }
            throw e;
        }
    }

    /** Asks for something. */
    public interface Request<T> {
        T send() throws ApiException;
    }

    /** Changes something. */
    public interface Change {
        void send() throws ApiException;
    }

    /**
     * Runs a request and turns its failure into a problem.
     *
     * @param about what is asked for, for the message
     * @throws ProblemException API_REFUSED when the server refuses for good, API_UNAVAILABLE when asking again may help
     */
    public <T> T asking(String about, Request<T> request) {
        try {
            return request.send();
        } catch (ApiException e) {
            throw new ProblemException(problem(about, e), e);
        }
    }

    /** Runs requests that change something, as {@link #asking} does. */
    public void changing(String about, Change change) {
        asking(about, () -> {
            change.send();
            return true;
        });
    }

    /** The result of a request whose failure means that something is unknown, and nothing worse. */
    public <T> Evidence<T> looking(String about, Request<T> request) {
        try {
            return Evidence.known(request.send());
        } catch (ApiException e) {
            return Evidence.unknown(problem(about, e).describe());
        }
    }

    /**
     * Whether the failure of a request shows that there is no cluster: nobody listens, there is no route, or the server does not speak the protocol.
     * A server whose certificate is not trusted here, or that is slow, may well belong to a cluster.
     */
    public static boolean showsNoCluster(ProblemException failure) {
        Throwable cause = failure;
        while (cause != null) {
            boolean isNobody = cause instanceof ConnectException || cause instanceof NoRouteToHostException;
            if (isNobody || (cause instanceof ApiException said && said.kind() == ApiException.Kind.SERVER_ERROR)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** The problem that a failed request is to a person. */
    static Problem problem(String about, ApiException e) {
        int code = e.refusal().map(ApiException.Refusal::code).orElse(0);
        boolean refused = code >= 400 && code < 500 && !PASSING.contains(code);
        String said = e.refusal()
                .map(ApiException.Refusal::status)
                .map(status -> status.at("message"))
                .flatMap(Json::text)
                .orElseGet(() -> rootMessage(e));
        return new Problem(
                refused ? ErrorCode.API_REFUSED : ErrorCode.API_UNAVAILABLE, about, said, "", remedy(code, refused));
    }

    private static String remedy(int status, boolean refused) {
        return switch (status) {
            case HttpURLConnection.HTTP_UNAUTHORIZED ->
                "use a kubeconfig of this cluster; auth/kubeconfig of its asset directory is one";
            case HttpURLConnection.HTTP_FORBIDDEN ->
                "use a kubeconfig whose user may do this (kubectl auth can-i --list); auth/kubeconfig of the asset"
                        + " directory is one";
            default ->
                refused
                        ? "mend what the server names, and run the same command again"
                        : "see what runs: ouro status works without an API server; then run the same command again";
        };
    }

    private static String rootMessage(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = String.valueOf(cause.getMessage());
        return switch (cause) {
            case ConnectException _ -> message.toLowerCase(Locale.ROOT);
            case UnknownHostException _ -> "the name " + message + " cannot be resolved";
            case Throwable other
            when other.getMessage() == null -> other.getClass().getSimpleName();
            default -> message;
        };
    }

    @Override
    public void close() {
        api.reconnect();
        api.close();
    }
}
