package dev.ouroboros.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import org.junit.jupiter.api.Test;

class VersionFactsTest {
    @Test
    void everySupportedVersionHasWhatRenderNeeds() {
        for (int minor = 20; minor <= 40; minor++) {
            VersionFacts facts = VersionFacts.of(KubernetesVersion.of(1, minor));
            assertThat(facts.nodeRole()).startsWith("node-role.kubernetes.io/");
            assertThat(facts.requiredApiVersion("PodDisruptionBudget")).startsWith("policy/");
            assertThat(facts.requiredApiVersion("EncryptionConfiguration")).isNotEmpty();
            assertThat(facts.requiredApiVersion("KubeletConfiguration")).isNotEmpty();
            assertThat(facts.proxyModes()).contains("iptables");
            assertThat(facts.probePath(Component.CONTROLLER_MANAGER, "readiness"))
                    .isPresent();
            assertThat(facts.probePath(Component.SCHEDULER, "readiness")).isPresent();
        }
    }

    @Test
    void refusesVersionsWithoutData() {
        assertThat(VersionFacts.supported().contains(KubernetesVersion.of(1, 19)))
                .isFalse();
        assertThatThrownBy(() -> VersionFacts.of(KubernetesVersion.of(1, 19)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesWhatTheNewestHasForVersionsThatCameLater() {
        VersionFacts newest = VersionFacts.of(VersionFacts.newestKnown());
        VersionFacts later = VersionFacts.of(KubernetesVersion.of(1, 99));

        assertThat(later.arguments(Component.API_SERVER)).isEqualTo(newest.arguments(Component.API_SERVER));
        assertThat(later.nodeRole()).isEqualTo(newest.nodeRole());
        assertThat(later.proxyModes()).isEqualTo(newest.proxyModes());
    }

    @Test
    void comparesMinorVersionsAsNumbers() {
        assertThat(KubernetesVersion.parse("v1.9.0").orElseThrow())
                .isLessThan(KubernetesVersion.parse("1.20").orElseThrow());
        assertThat(KubernetesVersion.parse("v1.36.0-rc.1").orElseThrow().tag()).isEqualTo("v1.36.0-rc.1");
        assertThat(KubernetesVersion.parse("latest")).isEmpty();
    }
}
