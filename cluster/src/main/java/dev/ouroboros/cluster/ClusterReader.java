package dev.ouroboros.cluster;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;

/** Reads objects from an API server; each answer is a value or unknown with its reason. */
public final class ClusterReader {
    /** What helps against an answer that cannot come from an API server. */
    static final String NO_API_SERVER =
            "see who answers: kubectl config view shows the server of the kubeconfig; a proxy may be before it";

    private final ClusterClient client;

    public ClusterReader(ClusterClient client) {
        this.client = client;
    }

    /**
     * The JSON at a path.
     *
     * @param path with its query, for example {@code /version}
     */
    public Evidence<Json> get(String path) {
        return evidence(path, () -> client.api().get(new ApiPath(path)));
    }

    /** The text at a path, for example {@code /metrics}. */
    public Evidence<String> text(String path) {
        return evidence(path, () -> client.api().text(new ApiPath(path)));
    }

    private static <T> Evidence<T> evidence(String path, ClusterClient.Request<T> request) {
        try {
            return Evidence.known(request.send());
        } catch (ApiException e) {
            return Evidence.unknown(
                    switch (e.kind()) {
                        case NOT_FOUND -> path + ": not found";
                        case GARBAGE -> String.valueOf(e.getMessage());
                        default -> ClusterClient.problem(path, e).what();
                    });
        }
    }

    /**
     * The JSON at a path, which must be there.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public Json require(String path) {
        try {
            return client.api().get(new ApiPath(path));
        } catch (ApiException e) {
            throw e.kind() == Kind.NOT_FOUND ? notThere(path) : unanswered(path, e);
        }
    }

    private static ProblemException notThere(String path) {
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                path,
                "the server has no such object",
                "",
                "see whether it was deleted, and whether the kubeconfig is this cluster's: kubectl get --raw " + path);
    }

    /** The problem of a failed read; where the answer cannot come from an API server, with the remedy for that. */
    static ProblemException unanswered(String path, ApiException e) {
        return e.kind() == Kind.GARBAGE
                ? ProblemException.of(
                        ErrorCode.API_UNAVAILABLE,
                        path,
                        "the answer is not JSON: "
                                + ClusterClient.problem(path, e).what(),
                        "",
                        NO_API_SERVER)
                : new ProblemException(ClusterClient.problem(path, e), e);
    }
}
