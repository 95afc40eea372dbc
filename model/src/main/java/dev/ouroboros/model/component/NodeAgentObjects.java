package dev.ouroboros.model.component;

import java.util.List;

/** What the agent of a node is called in the API, and what it has there beside its Secrets. */
public final class NodeAgentObjects {
    /** The user in its client certificate; in no group, so that its rights are its own roles'. */
    public static final String USER = "system:ouroboros:node-agent";

    /** Its roles in all namespaces and in default, and their bindings. */
    public static final String ROLE = "ouroboros:node-agent";

    private NodeAgentObjects() {}

    /** Where all of it is in the API, its DaemonSet first. */
    public static List<String> paths() {
        String rbac = "/apis/rbac.authorization.k8s.io/v1/";
        String service = rbac + "namespaces/default/";
        return List.of(
                "/apis/apps/v1/namespaces/kube-system/daemonsets/" + Component.NODE_AGENT.id(),
                rbac + "clusterrolebindings/" + ROLE,
                rbac + "clusterroles/" + ROLE,
                service + "rolebindings/" + ROLE,
                service + "roles/" + ROLE);
    }
}
