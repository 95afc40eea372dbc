package dev.ouroboros.cluster;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.json.JsonText;
import dev.ouroboros.core.json.JsonText.MalformedJson;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;

/** Reads what an API server has, as it says it; each answer is a value or unknown with its reason. */
public final class ClusterReader {
    /** What helps against an answer that no API server gives. */
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
        try {
            String text = client.asking(path, () -> client.api().raw(path));
            return text == null ? Evidence.unknown(path + ": not found") : Evidence.known(JsonText.read(text));
        } catch (ProblemException e) {
            return Evidence.unknown(e.problems().getFirst().what());
        } catch (MalformedJson e) {
            return Evidence.unknown(path + " is not JSON: " + e.getMessage());
        }
    }

    /** The text at a path, for example {@code /metrics}. */
    public Evidence<String> text(String path) {
        try {
            String text = client.asking(path, () -> client.api().raw(path));
            return text == null ? Evidence.unknown(path + ": not found") : Evidence.known(text);
        } catch (ProblemException e) {
            return Evidence.unknown(e.problems().getFirst().what());
        }
    }

    /**
     * The JSON at a path, which must be there.
     *
     * @throws ProblemException API_UNAVAILABLE when asking again may help, API_REFUSED when not
     */
    public Json require(String path) {
        String text = client.asking(path, () -> client.api().raw(path));
        if (text == null) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    path,
                    "the server has no such object",
                    "",
                    "see whether it was deleted, and whether the kubeconfig is this cluster's: kubectl get --raw "
                            + path);
        }
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw ProblemException.of(
                    ErrorCode.API_UNAVAILABLE, path, "the answer is not JSON: " + e.getMessage(), "", NO_API_SERVER);
        }
    }
}
