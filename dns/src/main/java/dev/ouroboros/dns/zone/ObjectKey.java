package dev.ouroboros.dns.zone;

/** Which Service. */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    @Override
    public int compareTo(ObjectKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }
}
