package dev.ouroboros.model.manifest;

/**
 * Names a DaemonSet or Deployment.
 *
 * @param kind {@code DaemonSet} or {@code Deployment}
 */
public record WorkloadReference(String kind, String namespace, String name) {
    /** {@code namespace/name}. */
    public String path() {
        return namespace + "/" + name;
    }
}
