package dev.ouroboros.images.binary;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A program that a cluster consists of. Constants are in the order in which people read them. */
public enum Binary {
    KUBE_APISERVER("kube-apiserver", Project.KUBERNETES, true),
    KUBE_CONTROLLER_MANAGER("kube-controller-manager", Project.KUBERNETES, true),
    KUBE_SCHEDULER("kube-scheduler", Project.KUBERNETES, true),
    KUBELET("kubelet", Project.KUBERNETES, true),
    KUBE_PROXY("kube-proxy", Project.KUBERNETES, false),
    KUBECTL("kubectl", Project.KUBERNETES, true),
    ETCD("etcd", Project.ETCD, true),
    ETCDCTL("etcdctl", Project.ETCD, false),
    /** Restores snapshots; from etcd 3.5 on. */
    ETCDUTL("etcdutl", Project.ETCD, false),
    /** Kubernetes' own; releases do not offer it as a download, then one of ours takes its place. */
    PAUSE("pause", Project.PAUSE, false);

    /** Whose version a binary has. */
    public enum Project {
        KUBERNETES,
        ETCD,
        PAUSE
    }

    private final String fileName;
    private final Project project;
    private final boolean required;

    Binary(String fileName, Project project, boolean required) {
        this.fileName = fileName;
        this.project = project;
        this.required = required;
    }

    public String fileName() {
        return fileName;
    }

    public Project project() {
        return project;
    }

    /** Whether no cluster can do without it. */
    public boolean required() {
        return required;
    }

    public static List<Binary> of(Project project) {
        return Arrays.stream(values())
                .filter(binary -> binary.project == project)
                .toList();
    }

    public static Optional<Binary> named(String fileName) {
        return Arrays.stream(values())
                .filter(binary -> binary.fileName.equals(fileName))
                .findFirst();
    }
}
