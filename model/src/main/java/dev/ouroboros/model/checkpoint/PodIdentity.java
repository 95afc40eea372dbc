package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentContainer;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import java.util.Optional;

/**
 * What a pod says of itself.
 *
 * @param component the pod's controller, or the pod itself when it has none; for a ReplicaSet, its Deployment
 * @param role by what its containers run
 * @param asks whether it asks to be checkpointed: by our annotation, or by bootkube's unless ours says otherwise
 * @param isStatic whether it is, or mirrors, a static pod, which is never a principal
 * @param isCheckpointer whether it is bootkube's pod-checkpointer, beside which a keeper does not act
 */
public record PodIdentity(ComponentName component, Role role, boolean asks, boolean isStatic, boolean isCheckpointer) {
    public static final String CHECKPOINT_ANNOTATION = "ouroboros.dev/checkpoint";
    public static final String BOOTKUBE_ANNOTATION = "checkpointer.alpha.coreos.com/checkpoint";

    /** Namespace of this cluster's control plane; a pod of the same name in another namespace is not part of it. */
    public static final String CONTROL_PLANE_NAMESPACE = "kube-system";

    public static final ComponentName KEEPER = new ComponentName(CONTROL_PLANE_NAMESPACE, Component.KEEPER.id());

    /** What the kubelet sets on a static pod and its mirror; "api" would be a pod from the API server. */
    private static final String CONFIG_SOURCE = "kubernetes.io/config.source";

    private static final String MIRROR = "kubernetes.io/config.mirror";

    /** @throws IllegalArgumentException when the pod has no namespace or name: then it came from no API server */
    public static PodIdentity of(Json pod) {
        ComponentName component = component(pod);
        Json annotations = pod.at("metadata", "annotations");
        return new PodIdentity(
                component,
                component.equals(KEEPER) ? Role.KEEPER : roleOf(pod),
                asks(annotations),
                !annotations.at(MIRROR).isNull()
                        || annotations
                                .at(CONFIG_SOURCE)
                                .text()
                                .filter(source -> !source.equals("api"))
                                .isPresent(),
                LocatedJson.containersOf(pod).stream()
                        .anyMatch(container -> container.text("name").equals("pod-checkpointer")));
    }

    /** Whether annotations of a pod or a template ask for a checkpoint. */
    public static boolean asks(Json annotations) {
        return annotations
                .at(CHECKPOINT_ANNOTATION)
                .text()
                .or(() -> annotations.at(BOOTKUBE_ANNOTATION).text())
                .filter("true"::equals)
                .isPresent();
    }

    private static ComponentName component(Json pod) {
        Json metadata = pod.at("metadata");
        String namespace = metadata.at("namespace").text().orElse("");
        String name = metadata.at("name").text().orElse("");
        for (Json owner : metadata.at("ownerReferences").items()) {
            String kind = owner.at("kind").text().orElse("");
            Optional<String> controller = owner.at("name").text();
            // The owner of a mirror pod is its Node, which controls nothing.
            if (owner.at("controller").isTrue() && controller.isPresent() && !kind.equals("Node")) {
                return new ComponentName(
                        namespace,
                        kind.equals("ReplicaSet") ? deployment(controller.get(), metadata) : controller.get());
            }
        }
        return new ComponentName(namespace, name);
    }

    /** A ReplicaSet's name is its Deployment's name and the hash of its template, which its pods have as a label. */
    private static String deployment(String replicaSet, Json metadata) {
        String suffix = "-" + metadata.at("labels", "pod-template-hash").text().orElse("");
        return suffix.length() > 1 && replicaSet.length() > suffix.length() && replicaSet.endsWith(suffix)
                ? replicaSet.substring(0, replicaSet.length() - suffix.length())
                : replicaSet;
    }

    /** The role in the control plane of a pod, or of a template in its namespace. */
    static Role roleOf(Json pod) {
        String namespace = pod.at("metadata", "namespace").text().orElse("");
        if (!namespace.equals(CONTROL_PLANE_NAMESPACE)) {
            return Role.OTHER;
        }
        boolean isKeeper = LocatedJson.containersOf(pod).stream()
                .anyMatch(container -> container.text("name").equals(KEEPER.name()));
        if (isKeeper) {
            return Role.KEEPER;
        }
        return Component.WITH_UNDERSTUDY.stream()
                .map(Component::role)
                .filter(role -> mainContainer(pod, role).isPresent())
                .findFirst()
                .orElse(Role.OTHER);
    }

    /** The container that runs the program of a role; empty for roles whose understudy has no flags of its own. */
    static Optional<LocatedJson> mainContainer(Json pod, Role role) {
        Optional<Component> component = Component.of(role);
        return LocatedJson.root(pod)
                .at("spec")
                .each("containers")
                .filter(container -> component.isPresent()
                        && ComponentContainer.of(container.value()).equals(component))
                .findFirst();
    }
}
