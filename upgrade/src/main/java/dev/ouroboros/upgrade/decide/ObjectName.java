package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.json.Json;
import java.util.Set;

/**
 * The identity of an object. The version of its API is no part of it: an object stays the same when its manifest names a newer one.
 *
 * @param group of its API; empty for the core's
 * @param namespace empty when it has none, or its manifest names none
 */
public record ObjectName(String group, String kind, String namespace, String name) implements Comparable<ObjectName> {
    /** Kinds whose pods are replaced when their template changes. */
    public static final Set<String> WORKLOADS = Set.of("DaemonSet", "Deployment");

    public static ObjectName of(Json object) {
        String version = object.at("apiVersion").text().orElse("");
        int slash = version.indexOf('/');
        return new ObjectName(
                slash < 0 ? "" : version.substring(0, slash),
                object.at("kind").text().orElse(""),
                object.at("metadata", "namespace").text().orElse(""),
                object.at("metadata", "name").text().orElse(""));
    }

    @Override
    public int compareTo(ObjectName other) {
        return toString().compareTo(other.toString());
    }

    /** As in {@code DaemonSet kube-system/kube-apiserver}. */
    @Override
    public String toString() {
        return kind + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
    }
}
