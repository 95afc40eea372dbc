package dev.ouroboros.render.manifest;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.KeeperObjects;
import dev.ouroboros.model.leader.LeaderLease;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;

/**
 * What the keeper may do, and nothing more: no Secret is readable across the cluster.
 *
 * <ul>
 *   <li>In all namespaces: see pods and nodes, label and annotate a node, write Events, and read the namespace whose UID is the cluster's identity.
 *   <li>In kube-system: get by name what its pods refer to and are made by, and delete a pod that the kubelet rejected. The same
 *       rights in another namespace are the owner's to give, with a RoleBinding there to the same ClusterRole.
 *   <li>In kube-system alone: follow DaemonSets and Deployments, list the templates that a DaemonSet had, list Secrets, which says of a
 *       server that it can decrypt every one; have the Lease of a change; release the Leases of
 *       controller manager and scheduler when their holder has ended; patch the API server's DaemonSet, and no other, to say where
 *       its change stands and to give it the template back that it had.
 *   <li>In default: the Endpoints and EndpointSlice of the kubernetes Service. A right to create cannot be limited to a name
 *       (kubernetes.io/docs/reference/access-authn-authz/rbac), so it may create others there, too; not read or change them.
 * </ul>
 */
final class KeeperAccess {
    private static final String NAME = KeeperObjects.ROLE;
    private static final String NAMESPACE_NAME = KeeperObjects.NAMESPACE_ROLE;
    private static final String SERVICE_NAMESPACE = "default";
    private static final String SERVICE = "kubernetes";

    private static final String CORE = "";
    private static final String APPS = "apps";
    private static final List<String> GET = List.of("get");
    private static final List<String> READ = List.of("get", "list", "watch");

    private KeeperAccess() {}

    static ClusterRole clusterRole() {
        return Rights.clusterRole(
                NAME,
                Rights.rule(CORE, List.of("pods"), READ),
                Rights.rule(CORE, List.of("nodes"), List.of("get", "list", "watch", "patch")),
                Rights.rule(CORE, List.of("events"), List.of("create", "patch")),
                Rights.named(Rights.rule(CORE, List.of("namespaces"), List.of("get")), Pods.NAMESPACE));
    }

    static ClusterRoleBinding clusterBinding() {
        return Access.binding(NAME, NAME, "User", KeeperObjects.USER);
    }

    /** For a namespace with pods that ask for a checkpoint. */
    static ClusterRole namespaceRole() {
        return Rights.clusterRole(
                NAMESPACE_NAME,
                Rights.rule(CORE, List.of("configmaps", "secrets"), GET),
                Rights.rule(CORE, List.of("pods"), List.of("delete")),
                Rights.rule(APPS, List.of("daemonsets", "deployments", "replicasets", "statefulsets"), GET));
    }

    static RoleBinding namespaceBinding() {
        return Rights.binding(NAMESPACE_NAME, Pods.NAMESPACE, "ClusterRole", KeeperObjects.USER);
    }

    static Role systemRole() {
        String group = "coordination.k8s.io";
        List<String> leases = List.of("leases");
        return Rights.role(
                NAME,
                Pods.NAMESPACE,
                Rights.rule(CORE, List.of("secrets"), List.of("list")),
                Rights.rule(APPS, List.of("daemonsets", "deployments"), List.of("list", "watch")),
                Rights.rule(APPS, List.of("controllerrevisions"), List.of("get", "list")),
                Rights.named(Rights.rule(APPS, List.of("daemonsets"), List.of("patch")), Component.API_SERVER.id()),
                Rights.rule(group, leases, List.of("create")),
                Rights.named(
                        Rights.rule(group, leases, List.of("get", "list", "watch", "patch", "update")),
                        KeeperObjects.CHANGE_LEASE),
                Rights.named(
                        Rights.rule(group, leases, List.of("get", "update")),
                        LeaderLease.LEADERS.stream().map(Component::id).toArray(String[]::new)));
    }

    static RoleBinding systemBinding() {
        return Rights.binding(NAME, Pods.NAMESPACE, "Role", KeeperObjects.USER);
    }

    static Role serviceRole() {
        return Rights.role(
                NAME,
                SERVICE_NAMESPACE,
                Rights.named(Rights.rule(CORE, List.of("services"), List.of("get")), SERVICE),
                Rights.named(
                        Rights.rule(CORE, List.of("endpoints"), List.of("get", "list", "watch", "patch", "update")),
                        SERVICE),
                Rights.named(
                        Rights.rule(
                                "discovery.k8s.io",
                                List.of("endpointslices"),
                                List.of("get", "list", "watch", "patch", "update")),
                        SERVICE),
                Rights.rule(CORE, List.of("endpoints"), List.of("create")),
                Rights.rule("discovery.k8s.io", List.of("endpointslices"), List.of("create")));
    }

    static RoleBinding serviceBinding() {
        return Rights.binding(NAME, SERVICE_NAMESPACE, "Role", KeeperObjects.USER);
    }
}
