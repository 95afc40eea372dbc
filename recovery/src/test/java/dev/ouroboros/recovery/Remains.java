package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** What is left of a cluster, and what it remembers of what was deleted. */
final class Remains implements ObjectSource {
    private final List<Json.Fields> live = new ArrayList<>();
    private final List<Json.Fields> deleted = new ArrayList<>();
    final List<Problem> unreadable = new ArrayList<>();

    void controlPlane(String namespace) {
        add(workload(
                "DaemonSet",
                namespace,
                "server",
                List.of(
                        "kube-apiserver",
                        "--etcd-servers=https://192.0.2.7:2379",
                        "--etcd-cafile=/keys/etcd-ca.crt",
                        "--etcd-certfile=/keys/etcd.crt",
                        "--etcd-keyfile=/keys/etcd.key")));
        add(workload("Deployment", namespace, "manager", List.of("kube-controller-manager")));
        add(workload("Deployment", namespace, "scheduler", List.of("kube-scheduler")));
        for (String name : List.of("server", "manager", "scheduler")) {
            add(secret(namespace, name + "-keys", "old key"));
        }
    }

    void add(Json.Fields object) {
        live.add(object);
    }

    void delete(String kind, String name) {
        live.stream().filter(object -> is(object, kind, name)).forEach(deleted::add);
        forget(kind, name);
    }

    void forget(String kind, String name) {
        live.removeIf(object -> is(object, kind, name));
    }

    private static boolean is(Json object, String kind, String name) {
        return object.at("kind").equals(Json.text(kind))
                && object.at("metadata", "name").equals(Json.text(name));
    }

    static Json.Fields workload(String kind, String namespace, String name, List<String> command) {
        return read("""
                {"apiVersion": "apps/v1", "kind": "%1$s", "metadata": {"name": "%3$s", "namespace": "%2$s"},
                 "spec": {"template": {"spec": {
                   "containers": [{"name": "main", "image": "example.com/it:v1.30.1", "command": ["%4$s"],
                     "volumeMounts": [{"name": "keys", "mountPath": "/keys"}]}],
                   "volumes": [{"name": "keys", "secret": {"secretName": "%3$s-keys"}}]}}}}
                """.formatted(kind, namespace, name, String.join("\",\"", command)));
    }

    static Json.Fields secret(String namespace, String name, String key) {
        return read(
                """
                {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "%s", "namespace": "%s"}, "data":
                 {"etcd-ca.crt": "%s", "etcd.crt": "%s", "etcd.key": "%s", "other": "%s"}}
                """.formatted(name, namespace, base64("old ca"), base64("old"), base64(key), base64("something else")));
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    static Json.Fields read(String text) {
        try {
            return (Json.Fields) JsonText.read(text);
        } catch (JsonText.MalformedJson e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public String origin() {
        return "remains";
    }

    @Override
    public List<Json.Fields> list(Set<Resource> resources, Predicate<Json> wanted) {
        return from(live, resources, wanted);
    }

    @Override
    public List<Json.Fields> listDeleted(Set<Resource> resources, Predicate<Json> wanted) {
        return from(deleted, resources, wanted);
    }

    private static List<Json.Fields> from(List<Json.Fields> objects, Set<Resource> resources, Predicate<Json> wanted) {
        return objects.stream()
                .filter(object -> resources.stream()
                        .anyMatch(resource ->
                                resource.named(Json.object()).at("kind").equals(object.at("kind"))))
                .filter(wanted)
                .toList();
    }

    @Override
    public Map<ApiObject, Json.Fields> read(Set<ApiObject> objects) {
        return from(live, objects);
    }

    @Override
    public Map<ApiObject, Json.Fields> readDeleted(Set<ApiObject> objects) {
        return from(deleted, objects);
    }

    private static Map<ApiObject, Json.Fields> from(List<Json.Fields> all, Set<ApiObject> objects) {
        Map<ApiObject, Json.Fields> found = new HashMap<>();
        all.forEach(object -> Resource.reference(object)
                .filter(objects::contains)
                .ifPresent(reference -> found.put(reference, object)));
        return found;
    }

    @Override
    public List<Problem> problems() {
        return List.copyOf(unreadable);
    }

    @Override
    public List<Problem> damage() {
        return List.of();
    }
}
