package dev.ouroboros.model.checkpoint;

import java.util.Comparator;

/** An object whose content a pod needs. */
public record ApiObject(Kind kind, String namespace, String name) implements Comparable<ApiObject> {
    /** Objects that a kubelet reads for a pod. */
    public enum Kind {
        SECRET("Secret"),
        CONFIG_MAP("ConfigMap");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** As in {@code kind:} of a manifest. */
        public String word() {
            return word;
        }
    }

    private static final Comparator<ApiObject> ORDER = Comparator.comparing(ApiObject::kind)
            .thenComparing(ApiObject::namespace)
            .thenComparing(ApiObject::name);

    public ApiObject {
        if (namespace.isEmpty() || name.isEmpty()) {
            throw new IllegalArgumentException("'" + namespace + "/" + name + "' names no " + kind.word());
        }
    }

    @Override
    public int compareTo(ApiObject other) {
        return ORDER.compare(this, other);
    }

    /** As in {@code Secret kube-system/kube-apiserver}. */
    @Override
    public String toString() {
        return kind.word() + " " + namespace + "/" + name;
    }
}
