package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.version.Component;
import java.util.Arrays;
import java.util.Optional;

/** What a cluster consists of, each with a version of its own. */
public enum Part {
    API_SERVER("kube-apiserver"),
    CONTROLLER_MANAGER("kube-controller-manager"),
    SCHEDULER("kube-scheduler"),
    PROXY("kube-proxy"),
    KUBELET("kubelet"),
    ETCD("etcd"),
    KEEPER("ouroboros-keeper");

    private final String label;

    Part(String label) {
        this.label = label;
    }

    /** Name of the program and of the container. */
    public String label() {
        return label;
    }

    /** The program of Kubernetes that it is. */
    public Optional<Component> component() {
        return Component.ofBinary(label);
    }

    public static Optional<Part> labelled(String label) {
        return Arrays.stream(values()).filter(part -> part.label.equals(label)).findFirst();
    }
}
