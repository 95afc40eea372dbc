package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether a kubelet and a containerd have a version of the Container Runtime Interface in common: without one no pod ever starts. */
public final class CriPairing {
    private final Map<String, List<Fact>> sections = FactFile.load("cri.yaml");

    public boolean fits(KubernetesVersion kubelet, KubernetesVersion containerd) {
        return apis("containerd", containerd).stream().anyMatch(apis("kubelet", kubelet)::contains);
    }

    /** Which containerd a kubelet can talk to, as in {@code containerd from 1.0, before 2.0}. */
    public String containerdFor(KubernetesVersion kubelet) {
        Set<String> spoken = apis("kubelet", kubelet);
        return sections.getOrDefault("containerd", List.of()).stream()
                .filter(fact -> spoken.contains(fact.get("api")))
                .map(fact -> "containerd " + fact.range().describe())
                .collect(Collectors.joining(", or "));
    }

    private Set<String> apis(String side, KubernetesVersion version) {
        return sections.getOrDefault(side, List.of()).stream()
                .filter(fact -> fact.range().contains(version))
                .map(fact -> fact.get("api"))
                .collect(Collectors.toSet());
    }
}
