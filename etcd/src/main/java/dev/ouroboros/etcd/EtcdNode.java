package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;

/** Whether an etcd of this node runs, and whether it is well; from the container runtime and etcd itself. */
final class EtcdNode {
    private final EtcdPod etcd;
    private final ContainerRuntime runtime;
    private final EtcdProbe probe;

    EtcdNode(EtcdPod etcd, ContainerRuntime runtime, EtcdProbe probe) {
        this.etcd = etcd;
        this.runtime = runtime;
        this.probe = probe;
    }

    /**
     * Known to be gone only when the runtime has no such container, nobody listens on its port, and its pod is torn down: as long as the
     * pod is ready, a kubelet that has not looked at its manifests yet may be about to start an etcd that crashed.
     */
    Evidence<Boolean> running() {
        Evidence<Boolean> container = container();
        return container.is(runs -> !runs) ? probe.listens() : container;
    }

    private Evidence<Boolean> container() {
        return Evidence.asking(() -> runtime.pods().stream()
                .filter(pod ->
                        pod.namespace().equals(etcd.namespace()) && pod.name().startsWith(etcd.podName() + "-"))
                .anyMatch(RuntimePod::mayRun));
    }

    Evidence<Boolean> healthy() {
        return probe.healthy();
    }
}
