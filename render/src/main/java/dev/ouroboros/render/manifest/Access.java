package dev.ouroboros.render.manifest;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.JoiningObjects;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import java.util.Map;
import java.util.TreeMap;

/** Who may do what: rights of joining kubelets and of the API server, and budgets of the control plane. */
final class Access {
    /** Common name of the certificate with which the API server talks to kubelets. */
    static final String KUBELET_CLIENT_USER = "kube-apiserver-kubelet-client";

    static final String RBAC = "rbac.authorization.k8s.io";
    private static final String NODES = "system:nodes";

    private Access() {}

    /** The token as a Secret; a client with this token is in the group system:bootstrappers. */
    static Secret bootstrapToken(BootstrapToken token) {
        return new SecretBuilder()
                .withNewMetadata()
                .withName("bootstrap-token-" + token.id())
                .withNamespace(Pods.NAMESPACE)
                .addToAnnotations(TokenExpiry.ANNOTATION, TokenExpiry.DEFAULT)
                .endMetadata()
                .withType("bootstrap.kubernetes.io/token")
                .withImmutable(true)
                .withData(HashedNames.encoded(new TreeMap<>(Map.of(
                        "description",
                        "Kubelets join with this token.",
                        "token-id",
                        token.id(),
                        "token-secret",
                        token.secret(),
                        "usage-bootstrap-authentication",
                        "true"))))
                .build();
    }

    /** A joining kubelet may ask for a certificate. */
    static ClusterRoleBinding bootstrapBinding() {
        return group("ouroboros:node-bootstrapper", "system:node-bootstrapper", JoiningObjects.BOOTSTRAPPERS);
    }

    /** The client certificate that a joining kubelet asks for is approved without a person. */
    static ClusterRoleBinding approverBinding() {
        return group(
                "ouroboros:approve-node-client",
                "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
                JoiningObjects.BOOTSTRAPPERS);
    }

    /** A node may renew its own client certificate. */
    static ClusterRoleBinding renewalBinding() {
        return group(
                "ouroboros:renew-node-client",
                "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
                NODES);
    }

    /** The API server may use the kubelets' API for logs, exec and metrics, and nothing else; bootkube makes it an administrator. */
    static ClusterRoleBinding kubeletClientBinding() {
        return binding("ouroboros:kubelet-client", "system:kubelet-api-admin", "User", KUBELET_CLIENT_USER);
    }

    /** At most one pod at a time is evicted. Unlike a minimum of one, this does not block the drain of a single node for ever. */
    static PodDisruptionBudget oneAtATime(Component component, VersionFacts facts) {
        return budget(component, facts)
                .editSpec()
                .withMaxUnavailable(new IntOrString(1))
                .endSpec()
                .build();
    }

    /**
     * The last API server is not evicted. A drain skips DaemonSets and does not ask; a DaemonSet's pods only count against a minimum
     * (kubernetes.io/docs/tasks/run-application/configure-pdb).
     */
    static PodDisruptionBudget atLeastOne(Component component, VersionFacts facts) {
        return budget(component, facts)
                .editSpec()
                .withMinAvailable(new IntOrString(1))
                .endSpec()
                .build();
    }

    private static PodDisruptionBudgetBuilder budget(Component component, VersionFacts facts) {
        Map<String, String> labels = Pods.labels(component, "control-plane");
        return new PodDisruptionBudgetBuilder()
                .withApiVersion(facts.requiredApiVersion("PodDisruptionBudget"))
                .withNewMetadata()
                .withName(component.id())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .endSpec();
    }

    static ClusterRoleBinding group(String name, String role, String group) {
        return binding(name, role, "Group", group);
    }

    /** A ServiceAccount of kube-system. */
    static ServiceAccount account(String name) {
        return new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(Pods.NAMESPACE)
                .endMetadata()
                .build();
    }

    /** Gives a ServiceAccount of kube-system the role of this name. */
    static ClusterRoleBinding ofAccount(String role, String account) {
        return new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(role)
                .endMetadata()
                .withNewRoleRef()
                .withApiGroup(RBAC)
                .withKind("ClusterRole")
                .withName(role)
                .endRoleRef()
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(account)
                .withNamespace(Pods.NAMESPACE)
                .endSubject()
                .build();
    }

    static ClusterRoleBinding binding(String name, String role, String kind, String subject) {
        return new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewRoleRef()
                .withApiGroup(RBAC)
                .withKind("ClusterRole")
                .withName(role)
                .endRoleRef()
                .addNewSubject()
                .withApiGroup(RBAC)
                .withKind(kind)
                .withName(subject)
                .endSubject()
                .build();
    }
}
