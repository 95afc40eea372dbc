package dev.ouroboros.model.component;

import java.util.List;
import java.util.stream.Stream;

/** What the agent of a node is called in the API, and what it has there beside its Secrets. */
public final class NodeAgentObjects {
    /** The user in its client certificate; in no group, so that its rights are its own roles'. */
    public static final String USER = "system:ouroboros:node-agent";

    /** Its roles in all namespaces, in kube-system and in default, and their bindings. */
    public static final String ROLE = "ouroboros:node-agent";

    /** Says on the manifest of its static copy who wrote it. */
    public static final String OWNER = "node-agent";

    /** Key of the manifest of its static copy in its Secret. */
    public static final String STATIC_POD = "static-pod.json";

    /** Name of that manifest in the kubelet's directory. */
    public static final String STATIC_MANIFEST = Component.NODE_AGENT.id() + ".json";

    /** Name of the kubeconfig, in its directory on the node, that the static copy uses. */
    public static final String SAVED_KUBECONFIG = "kubeconfig";

    private NodeAgentObjects() {}

    /** Where all of it is in the API, its DaemonSet first. */
    public static List<String> paths() {
        return Stream.concat(
                        Stream.of("/apis/apps/v1/namespaces/kube-system/daemonsets/" + Component.NODE_AGENT.id()),
                        rights().stream())
                .toList();
    }

    /** Where its rights are in the API. */
    public static List<String> rights() {
        String rbac = "/apis/rbac.authorization.k8s.io/v1/";
        String system = rbac + "namespaces/kube-system/";
        String service = rbac + "namespaces/default/";
        return List.of(
                rbac + "clusterrolebindings/" + ROLE,
                rbac + "clusterroles/" + ROLE,
                system + "rolebindings/" + ROLE,
                system + "roles/" + ROLE,
                service + "rolebindings/" + ROLE,
                service + "roles/" + ROLE);
    }
}
