package dev.ouroboros.core.pivot;

/**
 * The components that run twice during a pivot: a temporary copy (understudy) from {@code bootstrap-manifests/} and the
 * self-hosted one.
 */
public enum Component {
    API_SERVER("kube-apiserver", 26443),
    CONTROLLER_MANAGER("kube-controller-manager", 26257),
    SCHEDULER("kube-scheduler", 26259);

    private final String binary;
    private final int understudyPort;

    Component(String binary, int understudyPort) {
        this.binary = binary;
        this.understudyPort = understudyPort;
    }

    /** Name of the executable, of the container, and of the leader-election Lease. */
    public String binary() {
        return binary;
    }

    /** Secure port of the temporary copy on the node. */
    public int understudyPort() {
        return understudyPort;
    }

    /** The static Pod's metadata.name. */
    public String temporaryPod() {
        return "bootstrap-" + binary;
    }
}
