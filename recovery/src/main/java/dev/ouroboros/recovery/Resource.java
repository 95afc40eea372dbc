package dev.ouroboros.recovery;

import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.json.Json;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a recovery reads of a cluster. */
public enum Resource {
    DAEMON_SETS("daemonsets", "apps/v1", "DaemonSet"),
    DEPLOYMENTS("deployments", "apps/v1", "Deployment"),
    STATEFUL_SETS("statefulsets", "apps/v1", "StatefulSet"),
    SECRETS("secrets", "v1", "Secret"),
    CONFIG_MAPS("configmaps", "v1", "ConfigMap"),
    NODES("nodes", "v1", "Node"),
    SERVICE_ACCOUNTS("serviceaccounts", "v1", "ServiceAccount"),
    ROLES("roles", "rbac.authorization.k8s.io/v1", "Role"),
    ROLE_BINDINGS("rolebindings", "rbac.authorization.k8s.io/v1", "RoleBinding"),
    CLUSTER_ROLES("clusterroles", "rbac.authorization.k8s.io/v1", "ClusterRole"),
    CLUSTER_ROLE_BINDINGS("clusterrolebindings", "rbac.authorization.k8s.io/v1", "ClusterRoleBinding");

    /** What makes pods and survives them. */
    static final Set<Resource> WORKLOADS = EnumSet.of(DAEMON_SETS, DEPLOYMENTS, STATEFUL_SETS);

    private final String plural;
    private final String apiVersion;
    private final String kind;

    Resource(String plural, String apiVersion, String kind) {
        this.plural = plural;
        this.apiVersion = apiVersion;
        this.kind = kind;
    }

    String plural() {
        return plural;
    }

    /** Where an API server lists those of all namespaces. */
    String path() {
        return (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion + "/" + plural;
    }

    /** The object with its kind and version, which lists leave out. */
    Json.Fields named(Json object) {
        Json.Fields named =
                Json.object().with("apiVersion", Json.text(apiVersion)).with("kind", Json.text(kind));
        for (var field : object.fields().entrySet()) {
            if (!named.values().containsKey(field.getKey())) {
                named = named.with(field.getKey(), field.getValue());
            }
        }
        return named;
    }

    static Resource of(ApiObject.Kind kind) {
        return switch (kind) {
            case SECRET -> SECRETS;
            case CONFIG_MAP -> CONFIG_MAPS;
        };
    }

    static Set<String> plurals(Set<Resource> resources) {
        return resources.stream().map(Resource::plural).collect(Collectors.toSet());
    }

    /** The object as the one that a pod refers to; empty for what no kubelet reads for a pod. */
    static Optional<ApiObject> reference(Json object) {
        String kind = object.at("kind").text().orElse("");
        return Arrays.stream(ApiObject.Kind.values())
                .filter(known -> known.word().equals(kind))
                .findFirst()
                .map(known -> new ApiObject(
                        known,
                        object.at("metadata", "namespace").text().orElse("default"),
                        object.at("metadata", "name").text().orElse("")));
    }
}
