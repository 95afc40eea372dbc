package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import java.util.Optional;

/** Asks pods to leave, as disruption budgets allow. */
final class Evictions {
    private final ChangeApi api;
    private final Json.Fields kind;

    private Evictions(ChangeApi api, Json.Fields kind) {
        this.api = api;
        this.kind = kind;
    }

    /** In the version that the server says it takes: policy/v1beta1 up to 1.21, policy/v1 since. */
    static Evictions of(ChangeApi api) {
        Json said = api.read("/api/v1").at("resources").items().stream()
                .filter(resource -> resource.at("name").text().equals(Optional.of("pods/eviction")))
                .findFirst()
                .orElseGet(Json::absent);
        String group = said.at("group").text().orElse("policy");
        String version = said.at("version").text().orElse("v1");
        return new Evictions(
                api,
                Json.object()
                        .with("apiVersion", Json.text(group + "/" + version))
                        .with("kind", Json.text("Eviction")));
    }

    /**
     * Asks one, and no other of its name.
     *
     * @throws dev.ouroboros.model.problem.ProblemException why it may not leave now
     */
    Outcome evict(String namespace, String name, String uid) {
        Json.Fields eviction = kind.with(
                        "metadata", Json.object().with("name", Json.text(name)).with("namespace", Json.text(namespace)))
                .with(
                        "deleteOptions",
                        Json.object().with("preconditions", Json.object().with("uid", Json.text(uid))));
        return api.create("/api/v1/namespaces/" + namespace + "/pods/" + name + "/eviction", eviction);
    }
}
