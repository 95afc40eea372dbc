package dev.ouroboros.model.component;

import java.util.Comparator;

/**
 * Names a component that the keeper keeps on this node: the pods of one controller there. Pod names change with each replacement; a
 * controller's does not.
 *
 * @param namespace of the controller and its pods
 * @param name of the DaemonSet, Deployment, StatefulSet, or of a pod that has no controller
 */
public record ComponentName(String namespace, String name) implements Comparable<ComponentName> {
    private static final Comparator<ComponentName> ORDER =
            Comparator.comparing(ComponentName::namespace).thenComparing(ComponentName::name);

    public ComponentName {
        if (namespace.isEmpty() || name.isEmpty() || namespace.contains("/") || name.contains("/")) {
            throw new IllegalArgumentException("'" + namespace + "/" + name + "' names no component");
        }
    }

    @Override
    public int compareTo(ComponentName other) {
        return ORDER.compare(this, other);
    }

    /** As in {@code kube-system/kube-apiserver}. */
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
