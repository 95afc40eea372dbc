package dev.ouroboros.core.pivot;

/**
 * A self-hosted workload, as its controller reports it.
 *
 * @param name namespace/name
 * @param ready ready pods
 * @param desired pods there should be; 0 while the controller has not looked yet
 * @param restarts the highest restart count of a container in a pod that is not ready
 * @param detail why it is not ready, from pods and their containers; empty when it is
 */
public record Workload(String name, int ready, int desired, int restarts, String detail) {
    public boolean isReady() {
        return desired > 0 && ready >= desired;
    }
}
