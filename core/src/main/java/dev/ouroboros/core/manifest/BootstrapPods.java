package dev.ouroboros.core.manifest;

import dev.ouroboros.core.asset.AssetLayout;
import dev.ouroboros.core.version.Component;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The temporary control plane: static pods beside the self-hosted ones, each on a port of its own (design.md, Decisions). */
public final class BootstrapPods {
    public static final int API_SERVER_PORT = 26443;
    public static final int CONTROLLER_MANAGER_PORT = 26257;
    public static final int SCHEDULER_PORT = 26259;

    /** Names of the temporary pods begin with this, as bootkube's do. */
    public static final String NAME_PREFIX = "bootstrap-";

    private BootstrapPods() {}

    static Pod pod(Component component, Container container, long terminationSeconds, List<Volume> volumes) {
        List<Volume> all = new ArrayList<>(volumes);
        all.addFirst(Pods.secretsFromNode(AssetLayout.BOOTSTRAP_SECRETS_DIRECTORY));
        return new PodBuilder()
                .withNewMetadata()
                .withName(NAME_PREFIX + component.binary())
                .withNamespace(Pods.NAMESPACE)
                .withLabels(Map.of(Pods.UNDERSTUDY_LABEL, component.binary()))
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
