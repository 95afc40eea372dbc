package dev.ouroboros.model.start;

import dev.ouroboros.model.component.Component;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A self-hosted workload, as its controller reports it.
 *
 * @param name namespace/name
 * @param ready ready pods
 * @param desired pods there should be; 0 while the controller has not looked yet
 * @param begun pods in which every container has run, if only for a moment
 * @param restarts the highest restart count of a container in a pod that is not ready
 * @param outdated whether there is a pod that was made from another template than its DaemonSet asks for now
 * @param detail why it is not ready, from pods and their containers; empty when it is
 * @param unready the containers that it waits for
 */
public record SelfHostedWorkload(
        String name,
        int ready,
        int desired,
        int begun,
        int restarts,
        boolean outdated,
        String detail,
        List<UnreadyContainer> unready) {
    public SelfHostedWorkload {
        unready = List.copyOf(unready);
    }

    /** @param lastLines the end of its log; empty until somebody has read it */
    public record UnreadyContainer(String namespace, String pod, String name, String lastLines) {
        public UnreadyContainer withLastLines(String read) {
            return new UnreadyContainer(namespace, pod, name, read);
        }
    }

    /** The same with what a look at the logs found. */
    public SelfHostedWorkload with(UnaryOperator<UnreadyContainer> look) {
        return new SelfHostedWorkload(
                name,
                ready,
                desired,
                begun,
                restarts,
                outdated,
                detail,
                unready.stream().map(look).toList());
    }

    public boolean isReady() {
        return desired > 0 && ready >= desired;
    }

    /** Scheduled, with its images in place and a command line that can be executed. */
    public boolean hasBegun() {
        return desired > 0 && begun >= desired;
    }

    public boolean isApiServer() {
        return name.equals("kube-system/" + Component.API_SERVER.id());
    }
}
