package dev.ouroboros.render.manifest;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The temporary control plane: static pods beside the self-hosted ones, each on a port of its own. */
public final class BootstrapPods {
    private BootstrapPods() {}

    static Pod pod(Component component, Container container, long terminationSeconds, List<Volume> volumes) {
        List<Volume> all = new ArrayList<>(volumes);
        all.addFirst(Pods.secretsFromNode(AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY));
        return new PodBuilder()
                .withNewMetadata()
                .withName(component.temporaryPod())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(Map.of(Pods.UNDERSTUDY_LABEL, component.id()))
                .endMetadata()
                .withNewSpec()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withHostNetwork(true)
                .withDnsPolicy("Default")
                .withPriorityClassName(Pods.NODE_CRITICAL)
                .withPriority(Pods.NODE_CRITICAL_PRIORITY)
                .withTerminationGracePeriodSeconds(terminationSeconds)
                .withTolerations(Pods.tolerateEverything())
                .withContainers(container)
                .withVolumes(all)
                .endSpec()
                .build();
    }
}
