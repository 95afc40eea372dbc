package dev.ouroboros.render.manifest;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.NodeAgentObjects;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;

/**
 * What a node's agent may do, all of it reading: where the API servers are; the namespace whose UID is the cluster's identity; Nodes, as it keeps
 * routes to their pods; the agents' DaemonSet, which tells its static copy when it is not wanted on its node any more. It may change nothing in the
 * API, because its key is on nodes where anybody's pods run.
 */
final class NodeAgentAccess {
    private static final String CORE = "";
    private static final String SERVICE_NAMESPACE = "default";
    private static final String SERVICE = "kubernetes";

    private NodeAgentAccess() {}

    static ClusterRole clusterRole() {
        return Rights.clusterRole(
                NodeAgentObjects.ROLE,
                Rights.rule(CORE, List.of("nodes"), List.of("get", "list", "watch")),
                Rights.named(Rights.rule(CORE, List.of("namespaces"), List.of("get")), Pods.NAMESPACE));
    }

    static ClusterRoleBinding clusterBinding() {
        return Access.binding(NodeAgentObjects.ROLE, NodeAgentObjects.ROLE, "User", NodeAgentObjects.USER);
    }

    static Role systemRole() {
        return Rights.role(
                NodeAgentObjects.ROLE,
                Pods.NAMESPACE,
                Rights.named(Rights.rule("apps", List.of("daemonsets"), List.of("get")), Component.NODE_AGENT.id()));
    }

    static RoleBinding systemBinding() {
        return Rights.binding(NodeAgentObjects.ROLE, Pods.NAMESPACE, "Role", NodeAgentObjects.USER);
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
