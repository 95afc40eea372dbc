package dev.ouroboros.etcd;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.restore.EtcdPod;
import dev.ouroboros.core.runtime.RuntimeContainer;
import dev.ouroboros.core.runtime.RuntimePod;
import dev.ouroboros.node.port.Listener;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.runtime.ContainerRuntime;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.List;

/** Whether an etcd of this node runs, and whether it is well; from the container runtime, the kernel and etcd itself. */
final class EtcdNode {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final int OK = 200;

    private final EtcdPod etcd;
    private final ContainerRuntime runtime;
    private final Listeners listeners;

    EtcdNode(EtcdPod etcd, ContainerRuntime runtime, Listeners listeners) {
        this.etcd = etcd;
        this.runtime = runtime;
        this.listeners = listeners;
    }

    /**
     * Known to be gone only when the runtime has no such container, nobody listens on its port, and its pod is torn down: as long as the
     * pod is ready, a kubelet that has not looked at its manifests yet may be about to start an etcd that crashed.
     */
    Evidence<Boolean> running() {
        Evidence<Boolean> container = container();
        Evidence<Boolean> port = switch (listeners.on(etcd.health().getPort())) {
            case Evidence.Known<List<Listener>>(var owners) -> Evidence.known(!owners.isEmpty());
            case Evidence.Unknown<List<Listener>>(String reason) -> Evidence.unknown(reason);
        };
        return container.is(runs -> !runs) ? port : container;
    }

    private Evidence<Boolean> container() {
        try {
            return Evidence.known(runtime.pods().stream()
                    .filter(pod -> pod.namespace().equals(etcd.namespace())
                            && pod.name().startsWith(etcd.podName() + "-"))
                    .anyMatch(pod -> pod.state() == RuntimePod.State.READY
                            || pod.containers().stream()
                                    .anyMatch(container -> container.state() != RuntimeContainer.State.EXITED)));
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    Evidence<Boolean> healthy() {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) etcd.health().toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            try {
                return Evidence.known(connection.getResponseCode() == OK);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return Evidence.unknown(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }
}
