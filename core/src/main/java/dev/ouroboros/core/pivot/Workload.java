package dev.ouroboros.core.pivot;

/**
 * A self-hosted workload, as its controller reports it.
 *
 * @param name namespace/name
 * @param ready ready pods
 * @param desired pods there should be; 0 while the controller has not looked yet
 * @param begun pods in which every container has run, if only for a moment
 * @param restarts the highest restart count of a container in a pod that is not ready
 * @param detail why it is not ready, from pods and their containers; empty when it is
 */
public record Workload(String name, int ready, int desired, int begun, int restarts, String detail) {
    public boolean isReady() {
        return desired > 0 && ready >= desired;
    }

    /** Scheduled, with its images in place and a command line that can be executed. */
    public boolean hasBegun() {
        return desired > 0 && begun >= desired;
    }

    public boolean isApiServer() {
        return name.equals("kube-system/" + Component.API_SERVER.binary());
    }
}
