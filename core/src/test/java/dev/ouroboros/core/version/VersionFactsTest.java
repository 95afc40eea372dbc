package dev.ouroboros.core.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class VersionFactsTest {
    @Test
    void everySupportedVersionHasWhatRenderNeeds() {
        for (int minor = 20; minor <= 36; minor++) {
            VersionFacts facts = VersionFacts.of(KubernetesVersion.of(1, minor));
            assertThat(facts.nodeRole()).startsWith("node-role.kubernetes.io/");
            assertThat(facts.requiredApiVersion("PodDisruptionBudget")).startsWith("policy/");
            assertThat(facts.requiredApiVersion("EncryptionConfiguration")).isNotEmpty();
            assertThat(facts.requiredApiVersion("KubeletConfiguration")).isNotEmpty();
            assertThat(facts.proxyModes()).contains("iptables");
            assertThat(facts.probePath(Component.KUBE_CONTROLLER_MANAGER, "readiness"))
                    .isPresent();
            assertThat(facts.probePath(Component.KUBE_SCHEDULER, "readiness")).isPresent();
        }
    }

    @Test
    void refusesVersionsWithoutData() {
        assertThat(VersionFacts.supported().contains(KubernetesVersion.of(1, 19)))
                .isFalse();
        assertThat(VersionFacts.supported().contains(KubernetesVersion.of(1, 37)))
                .isFalse();
        assertThatThrownBy(() -> VersionFacts.of(KubernetesVersion.of(1, 19)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void comparesMinorVersionsAsNumbers() {
        assertThat(KubernetesVersion.parse("v1.9.0").orElseThrow())
                .isLessThan(KubernetesVersion.parse("1.20").orElseThrow());
        assertThat(KubernetesVersion.parse("v1.36.0-rc.1").orElseThrow().tag()).isEqualTo("v1.36.0-rc.1");
        assertThat(KubernetesVersion.parse("latest")).isEmpty();
    }
}
