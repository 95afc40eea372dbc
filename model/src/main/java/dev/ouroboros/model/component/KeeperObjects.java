package dev.ouroboros.model.component;

import java.util.List;

/** What the keeper is called in the API, and what it has there beside its DaemonSet and its Secrets. */
public final class KeeperObjects {
    /** The user in its client certificate; in no group, so that its rights are its own roles'. */
    public static final String USER = "system:ouroboros:keeper";

    /** Its roles in all namespaces, in kube-system and in default, and their bindings. */
    public static final String ROLE = "ouroboros:keeper";

    /** The ClusterRole that an owner binds to it in a namespace whose components are to be kept. */
    public static final String NAMESPACE_ROLE = "ouroboros:keeper-namespace";

    /** The Lease under which one node at a time changes its API server. */
    public static final String CHANGE_LEASE = "ouroboros-change";

    private static final String SYSTEM_NAMESPACE = "kube-system";
    private static final String SERVICE_NAMESPACE = "default";

    private KeeperObjects() {}

    /** Where all of it is in the API; the Lease is made by a keeper. */
    public static List<String> paths() {
        String rbac = "/apis/rbac.authorization.k8s.io/v1/";
        String system = rbac + "namespaces/" + SYSTEM_NAMESPACE + "/";
        String service = rbac + "namespaces/" + SERVICE_NAMESPACE + "/";
        return List.of(
                rbac + "clusterrolebindings/" + ROLE,
                rbac + "clusterroles/" + ROLE,
                system + "rolebindings/" + NAMESPACE_ROLE,
                rbac + "clusterroles/" + NAMESPACE_ROLE,
                system + "rolebindings/" + ROLE,
                system + "roles/" + ROLE,
                service + "rolebindings/" + ROLE,
                service + "roles/" + ROLE,
                "/apis/coordination.k8s.io/v1/namespaces/" + SYSTEM_NAMESPACE + "/leases/" + CHANGE_LEASE);
    }
}
