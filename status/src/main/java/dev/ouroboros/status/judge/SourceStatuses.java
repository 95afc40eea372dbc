package dev.ouroboros.status.judge;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.status.model.SourceStatus;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.ApiSeen.Others;
import dev.ouroboros.status.seen.NodeSeen;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Who was asked, and whether they answered. */
final class SourceStatuses {
    private SourceStatuses() {}

    static List<SourceStatus> of(Evidence<ApiSeen> api, Evidence<NodeSeen> node) {
        List<SourceStatus> all = new ArrayList<>();
        all.add(api(api));
        if (api instanceof Known<ApiSeen>(ApiSeen answer)
                && answer.pods() instanceof Known<?>
                && answer.others() instanceof Unknown<Others>(String why)) {
            all.add(new SourceStatus(
                    "other namespaces",
                    false,
                    why,
                    isRefusal(why) ? "add-ons outside of kube-system are not shown to who may not list them" : ""));
        }
        switch (node) {
            case Unknown<NodeSeen>(String why) -> all.add(new SourceStatus("node", false, why, ""));
            case Known<NodeSeen>(NodeSeen seen) -> {
                all.add(keeper(seen));
                if (seen.pods() instanceof Unknown<List<RuntimePod>>(String why)) {
                    all.add(new SourceStatus("runtime", false, why, ""));
                }
                if (seen.checkpoints() instanceof Unknown<?>(String why)) {
                    all.add(new SourceStatus("checkpoints", false, why, ""));
                }
            }
        }
        return all;
    }

    private static SourceStatus api(Evidence<ApiSeen> api) {
        return switch (api) {
            case Unknown<ApiSeen>(String why) -> new SourceStatus("API server", false, why, "");
            case Known<ApiSeen>(ApiSeen answer) ->
                switch (answer.version()) {
                    case Unknown<String>(String why) ->
                        new SourceStatus("API server", false, answer.server() + ": " + why, "");
                    case Known<String>(String version) ->
                        refusal(answer)
                                .map(why -> new SourceStatus(
                                        "API server",
                                        false,
                                        answer.server() + " answers, " + version + ", but not this: " + why,
                                        isRefusal(why)
                                                ? "check that the kubeconfig is this cluster's and its user may read kube-system"
                                                : ""))
                                .orElseGet(() -> new SourceStatus(
                                        "API server", true, answer.server() + " answers, " + version, ""));
                };
        };
    }

    /** A server tells its version to everybody; the rest only to users it authorizes. */
    private static Optional<String> refusal(ApiSeen answer) {
        return answer.pods() instanceof Unknown<List<Json>>(String why) ? Optional.of(why) : Optional.empty();
    }

    /** Whether the server answers but refuses this user. */
    static boolean isRefusal(String why) {
        return why.contains("forbidden") || why.contains("Unauthorized");
    }

    private static SourceStatus keeper(NodeSeen seen) {
        return switch (seen.state()) {
            case Unknown<Json>(String why) ->
                seen.agent()
                        .map(agent -> agent(seen.name(), agent))
                        .orElseGet(() -> new SourceStatus("keeper", false, "node " + seen.name() + ": " + why, ""));
            case Known<Json>(Json state) ->
                new SourceStatus(
                        "keeper",
                        true,
                        "node " + seen.name() + " answers"
                                + (state.at("staticCopy").isTrue() ? ", the static copy works" : "")
                                + front(state),
                        "");
        };
    }

    private static SourceStatus agent(String node, Json state) {
        List<String> servers = state.at("balancer", "servers").items().stream()
                .flatMap(server -> server.text().stream())
                .toList();
        Optional<String> trouble = state.at("balancer", "trouble").text();
        return new SourceStatus(
                "node agent",
                !servers.isEmpty() && trouble.isEmpty(),
                "node " + node + " answers, its clients are led to "
                        + (servers.isEmpty() ? "no API server" : String.join(", ", servers))
                        + trouble.map(why -> "; " + why).orElse(""),
                "");
    }

    /** The keeper's word for {@code model.front.FrontState}. */
    private static String front(Json state) {
        String word = state.at("front").text().orElse("");
        if (word.startsWith("ToPrincipal")) {
            return ", new connections go to the principal";
        }
        if (word.startsWith("ToUnderstudy")) {
            return ", new connections go to the understudy";
        }
        return state.at("front", "unknown")
                .text()
                .map(why -> ", front: " + why)
                .orElse(word.isEmpty() ? "" : ", front: " + word);
    }
}
