package dev.ouroboros.render.manifest;

import dev.ouroboros.model.component.NodeAgentObjects;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;

/**
 * What the agent of a node may do: read where the API servers are, and the namespace whose UID is the cluster's identity. It changes nothing in
 * the API, as its key is on nodes where anybody's pods run.
 */
final class NodeAgentAccess {
    private static final String CORE = "";
    private static final String SERVICE_NAMESPACE = "default";
    private static final String SERVICE = "kubernetes";

    private NodeAgentAccess() {}

    static ClusterRole clusterRole() {
        return Rights.clusterRole(
                NodeAgentObjects.ROLE,
                Rights.named(Rights.rule(CORE, List.of("namespaces"), List.of("get")), Pods.NAMESPACE));
    }

    static ClusterRoleBinding clusterBinding() {
        return Access.binding(NodeAgentObjects.ROLE, NodeAgentObjects.ROLE, "User", NodeAgentObjects.USER);
    }

    static Role serviceRole() {
        return Rights.role(
                NodeAgentObjects.ROLE,
                SERVICE_NAMESPACE,
                Rights.named(Rights.rule(CORE, List.of("endpoints"), List.of("get", "list", "watch")), SERVICE));
    }

    static RoleBinding serviceBinding() {
        return Rights.binding(NodeAgentObjects.ROLE, SERVICE_NAMESPACE, "Role", NodeAgentObjects.USER);
    }
}
