package dev.ouroboros.images.binary;

import dev.ouroboros.model.component.Component;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A program that a cluster consists of. Constants are in the order in which people read them. */
public enum Binary {
    KUBE_APISERVER(Component.API_SERVER.id(), Project.KUBERNETES, true),
    KUBE_CONTROLLER_MANAGER(Component.CONTROLLER_MANAGER.id(), Project.KUBERNETES, true),
    KUBE_SCHEDULER(Component.SCHEDULER.id(), Project.KUBERNETES, true),
    KUBELET(Component.KUBELET.id(), Project.KUBERNETES, true),
    KUBE_PROXY(Component.PROXY.id(), Project.KUBERNETES, false),
    KUBECTL("kubectl", Project.KUBERNETES, true),
    ETCD(Component.ETCD.id(), Project.ETCD, true),
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
