package dev.ouroboros.render.manifest;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategy;
import io.fabric8.kubernetes.api.model.apps.DaemonSetUpdateStrategyBuilder;
import java.util.Map;

/** DaemonSets of kube-system. */
final class DaemonSets {
    private DaemonSets() {}

    /**
     * A DaemonSet that selects its pods by all of their labels.
     *
     * @param labels of the DaemonSet and of its pods
     * @param annotations of its pods
     */
    static DaemonSet of(
            String name,
            Map<String, String> labels,
            DaemonSetUpdateStrategy strategy,
            Map<String, String> annotations,
            PodSpec pod) {
        return new DaemonSetBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(Pods.NAMESPACE)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withUpdateStrategy(strategy)
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(labels)
                .withAnnotations(annotations)
                .endMetadata()
                .withSpec(pod)
                .endTemplate()
                .endSpec()
                .build();
    }

    /** A changed template is used for a pod only after somebody has deleted the former one. */
    static DaemonSetUpdateStrategy onDelete() {
        return new DaemonSetUpdateStrategyBuilder().withType("OnDelete").build();
    }

    /** One pod after the other. */
    static DaemonSetUpdateStrategy oneAtATime() {
        return rolling(new IntOrString(1));
    }

    /** @param maxUnavailable a number, or a share as in {@code 10%} */
    static DaemonSetUpdateStrategy rolling(IntOrString maxUnavailable) {
        return new DaemonSetUpdateStrategyBuilder()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withMaxUnavailable(maxUnavailable)
                .endRollingUpdate()
                .build();
    }
}
