package dev.ouroboros.change;

import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Objects by path, with resource versions as an API server keeps them: an equal object is written only when it is stored stale. */
final class FakeCluster implements ChangeApi {
    static final String DAEMON_SET = "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-apiserver";

    private static final String STATE = "ouroboros.dev/change-state";
    private static final Json TOKEN = Json.text("kubernetes.io/service-account-token");
    private static final String OF_TOKENS = "fieldSelector=type%3Dkubernetes.io%2Fservice-account-token";

    final SortedMap<String, Json> objects = new TreeMap<>();
    final Map<String, Json> lists = new HashMap<>();
    final Set<String> stale = new HashSet<>();
    final Set<String> restless = new HashSet<>();
    final List<String> writes = new ArrayList<>();
    int failures;

    /** The nth template from now on is taken back by somebody before it is looked at again. */
    int aborts;

    /** Hears of each path whose template somebody changed. */
    Consumer<String> templated = _ -> {};

    /** Hears of each path that somebody deleted. */
    Consumer<String> deleted = _ -> {};

    /** What API servers do by themselves once they run with another template. */
    Runnable carriedOut = () -> {};

    private long version = 1;

    static Json json(String text) {
        try {
            return JsonText.read(text.replace('\'', '"'));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    void put(String path, Json object) {
        Json.Fields metadata =
                ((Json.Fields) object.at("metadata")).with("resourceVersion", Json.text(Long.toString(version++)));
        objects.put(path, ((Json.Fields) object).with("metadata", metadata));
    }

    @Override
    public Json read(String path) {
        if (failures > 0) {
            failures--;
            throw ProblemException.of(ErrorCode.API_UNAVAILABLE, path, "away", "", "try again");
        }
        Json found = objects.getOrDefault(path, lists.getOrDefault(path, Json.absent()));
        if (found.isNull()) {
            throw ProblemException.of(ErrorCode.NOT_FOUND, path, "is not there", "", "try again");
        }
        return found;
    }

    @Override
    public List<Json> list(String collection, String query) {
        String kind = collection.substring(collection.lastIndexOf('/'));
        boolean everywhere = !collection.contains("/namespaces/");
        return objects.entrySet().stream()
                .filter(entry -> entry.getKey().contains(kind + "/"))
                .filter(entry -> everywhere || entry.getKey().startsWith(collection + "/"))
                .map(Map.Entry::getValue)
                .filter(object -> !query.equals(OF_TOKENS) || object.at("type").equals(TOKEN))
                .toList();
    }

    @Override
    public Outcome create(String collection, Json object) {
        if (collection.endsWith("/eviction")) {
            return delete(collection.replace("/eviction", ""), "");
        }
        String path = collection + "/" + object.at("metadata", "name").text().orElse("");
        if (objects.containsKey(path)) {
            return new Outcome.Conflict();
        }
        put(path, object);
        return new Outcome.Written(read(path));
    }

    @Override
    public Outcome replace(String path, Json object) {
        Json now = objects.getOrDefault(path, Json.absent());
        if (now.isNull()) {
            return new Outcome.Gone();
        }
        if (!now.at("metadata", "resourceVersion").equals(object.at("metadata", "resourceVersion"))) {
            return new Outcome.Conflict();
        }
        boolean isTemplate = !now.at("spec").equals(object.at("spec"));
        if (!now.equals(object) || stale.remove(path) || restless.contains(path)) {
            writes.add(path);
            put(path, withStatusOf(now, (Json.Fields) object));
        }
        if (isTemplate) {
            templated.accept(path);
        }
        if (path.equals(DAEMON_SET)) {
            if (isTemplate && --aborts == 0) {
                put(path, now);
            }
            carryOut();
        }
        return new Outcome.Written(read(path));
    }

    /** Who writes an object leaves its status alone. */
    private static Json withStatusOf(Json now, Json.Fields object) {
        return now.at("status").isNull() ? object : object.with("status", now.at("status"));
    }

    /** The keeper's work, at once. */
    private void carryOut() {
        Json.Fields set = (Json.Fields) read(DAEMON_SET);
        Json said = set.at("metadata", "annotations");
        if (!said.at(STATE).isNull()) {
            Json done = ((Json.Fields) said).with(STATE, Json.text("Done"));
            set = set.with("metadata", ((Json.Fields) set.at("metadata")).with("annotations", done));
        }
        put(
                DAEMON_SET,
                set.with(
                        "status",
                        json("{'observedGeneration': 1, 'desiredNumberScheduled': 1, 'updatedNumberScheduled': 1,"
                                + " 'numberReady': 1}")));
        carriedOut.run();
    }

    @Override
    public Outcome delete(String path, String uid) {
        if (objects.remove(path) == null) {
            return new Outcome.Gone();
        }
        deleted.accept(path);
        return new Outcome.Written(Json.object());
    }
}
