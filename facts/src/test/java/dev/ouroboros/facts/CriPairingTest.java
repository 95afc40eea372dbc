package dev.ouroboros.facts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.version.KubernetesVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CriPairingTest {
    private final CriPairing pairing = new CriPairing();

    @ParameterizedTest
    @CsvSource({
        "1.20.2, 1.4.13, true",
        "1.20.2, 1.6.20, true",
        "1.20.2, 1.7.24, true",
        "1.22.17, 2.1.9, false",
        "1.23.0, 2.0.0, true",
        "1.26.0, 1.5.9, false",
        "1.26.0, 1.6.20, true",
        "1.36.3, 1.6.20, true",
        "1.36.3, 2.1.9, true"
    })
    void oneVersionInCommonIsEnough(String kubelet, String containerd, boolean fits) {
        assertThat(pairing.fits(version(kubelet), version(containerd))).isEqualTo(fits);
    }

    @Test
    void saysWhatWouldFit() {
        assertThat(pairing.containerdFor(version("1.20.2"))).isEqualTo("containerd from 1.0, before 2.0");
        assertThat(pairing.containerdFor(version("1.36.3"))).isEqualTo("containerd from 1.6");
    }

    private static KubernetesVersion version(String text) {
        return KubernetesVersion.parse(text).orElseThrow();
    }
}
