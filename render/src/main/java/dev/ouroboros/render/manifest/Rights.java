package dev.ouroboros.render.manifest;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.List;

/** Objects of RBAC. */
final class Rights {
    private Rights() {}

    static PolicyRule rule(String group, List<String> resources, List<String> verbs) {
        return new PolicyRuleBuilder()
                .withApiGroups(group)
                .withResources(resources)
                .withVerbs(verbs)
                .build();
    }

    /** The same, for objects of these names alone. */
    static PolicyRule named(PolicyRule rule, String... names) {
        return rule.edit().withResourceNames(names).build();
    }

    static ClusterRole clusterRole(String name, PolicyRule... rules) {
        return new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withRules(rules)
                .build();
    }

    static Role role(String name, String namespace, PolicyRule... rules) {
        return new RoleBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .withRules(rules)
                .build();
    }

    /**
     * Gives a user a role in a namespace.
     *
     * @param role name of the role, and of the binding
     * @param kind of the role: Role or ClusterRole
     */
    static RoleBinding binding(String role, String namespace, String kind, String user) {
        return binding(role, namespace, kind, "User", user);
    }

    /** Gives everybody of a group a role of the same namespace. */
    static RoleBinding ofGroup(String role, String namespace, String group) {
        return binding(role, namespace, "Role", "Group", group);
    }

    /** Gives a ServiceAccount a role of its namespace. */
    static RoleBinding ofAccount(String role, String namespace, String account) {
        RoleBinding binding = binding(role, namespace, "Role", "ServiceAccount", account);
        return binding.edit()
                .editFirstSubject()
                .withApiGroup(null)
                .withNamespace(namespace)
                .endSubject()
                .build();
    }

    private static RoleBinding binding(String role, String namespace, String kind, String subjectKind, String subject) {
        return new RoleBindingBuilder()
                .withNewMetadata()
                .withName(role)
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef()
                .withApiGroup(Access.RBAC)
                .withKind(kind)
                .withName(role)
                .endRoleRef()
                .addNewSubject()
                .withApiGroup(Access.RBAC)
                .withKind(subjectKind)
                .withName(subject)
                .endSubject()
                .build();
    }
}
