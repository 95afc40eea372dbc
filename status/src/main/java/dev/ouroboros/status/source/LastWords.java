package dev.ouroboros.status.source;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.kubelet.LogEnd;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The end of the log of a container in crash back-off. The kubelet gives it as the termination message when the template has
 * terminationMessagePolicy FallbackToLogsOnError; this class does so where the template has not. Only a few pods are asked, and only while
 * they crash.
 */
final class LastWords {
    /** The kubelet's word for a container that ended again and again. */
    private static final Json CRASHES = Json.text("CrashLoopBackOff");
    /** Enough to include the cause, which comes before a usage text or a thread dump. */
    private static final String LINES = "500";

    private static final int MOST_PODS = 3;

    private final Function<String, Evidence<String>> get;

    /** @param get the text at a path of the API */
    LastWords(Function<String, Evidence<String>> get) {
        this.get = get;
    }

    /** The same pods, with termination messages; a message that cannot be read is left out. */
    List<Json> in(List<Json> pods) {
        List<Json> crashing = pods.stream()
                .filter(pod -> statuses(pod).anyMatch(LastWords::isMute))
                .limit(MOST_PODS)
                .toList();
        return pods.stream()
                .map(pod -> crashing.contains(pod) ? told((Json.Fields) pod) : pod)
                .toList();
    }

    private static Stream<Json> statuses(Json pod) {
        return pod.at("status", "containerStatuses").items().stream();
    }

    private static boolean isMute(Json status) {
        Json ended = status.at("lastState", "terminated");
        return status.at("state", "waiting", "reason").equals(CRASHES)
                && !ended.isNull()
                && ended.at("message").text().orElse("").isBlank();
    }

    private Json told(Json.Fields pod) {
        Json.Fields status = (Json.Fields) pod.at("status");
        return pod.with(
                "status",
                status.with(
                        "containerStatuses",
                        Json.items(statuses(pod).map(each -> isMute(each) ? told(pod, (Json.Fields) each) : each))));
    }

    private Json told(Json pod, Json.Fields container) {
        String path = "/api/v1/namespaces/" + word(pod.at("metadata", "namespace")) + "/pods/"
                + word(pod.at("metadata", "name")) + "/log?previous=true&tailLines=" + LINES + "&container="
                + word(container.at("name"));
        if (!(get.apply(path) instanceof Known<String>(String text)) || text.isBlank()) {
            return container;
        }
        Json.Fields last = (Json.Fields) container.at("lastState");
        Json.Fields ended = (Json.Fields) last.at("terminated");
        String cause = LogEnd.cause(text.lines().toList());
        return container.with("lastState", last.with("terminated", ended.with("message", Json.text(cause))));
    }

    private static String word(Json value) {
        return value.text().orElse("");
    }
}
