package dev.ouroboros.core.version;

import java.util.Arrays;
import java.util.Optional;

/** The programs Kubernetes consists of, by the names of their binaries. */
public enum Component {
    KUBE_APISERVER("kube-apiserver", "kubeApiserver"),
    KUBE_CONTROLLER_MANAGER("kube-controller-manager", "kubeControllerManager"),
    KUBE_SCHEDULER("kube-scheduler", "kubeScheduler"),
    KUBE_PROXY("kube-proxy", "kubeProxy"),
    KUBELET("kubelet", "kubelet");

    private final String binary;
    private final String field;

    Component(String binary, String field) {
        this.binary = binary;
        this.field = field;
    }

    /** Name of the binary, the container and the image. */
    public String binary() {
        return binary;
    }

    /** Name of the field in a Cluster document. */
    public String field() {
        return field;
    }

    public static Optional<Component> ofBinary(String binary) {
        return Arrays.stream(values())
                .filter(component -> component.binary.equals(binary))
                .findFirst();
    }

    public static Optional<Component> ofField(String field) {
        return Arrays.stream(values())
                .filter(component -> component.field.equals(field))
                .findFirst();
    }
}
