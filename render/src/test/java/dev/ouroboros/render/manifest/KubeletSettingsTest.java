package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletSettingRules;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.version.KubernetesVersion;
import org.junit.jupiter.api.Test;

final class KubeletSettingsTest {
    private static final KubeletSettings NODE =
            KubeletSettings.of("node-1", "10.77.0.2", "10.3.0.10", "localhost/ouroboros/pause:1");
    private static final String DIGEST = "0123456789abcdef".repeat(4);

    private static VersionFacts facts(String version) {
        return VersionFacts.of(KubernetesVersion.parse(version).orElseThrow());
    }

    private static KubeletGeneration wishedOn(String made, String wished) {
        KubeletWish wish = KubeletSettings.wishFor(facts(wished), new KubeletWish.Program(wished, DIGEST));
        return wish.on(NODE.generation(facts(made), "/usr/local/bin/kubelet"));
    }

    /** But for the image of pause, which nodes from 1.35 on do not name. */
    @Test
    void anotherVersionStartsAsANodeThatWasMadeWithIt() {
        KubeletGeneration wanted = wishedOn("v1.20.2", "v1.36.0");
        KubeletGeneration made = NODE.generation(facts("v1.36.0"), "/usr/local/bin/kubelet");

        assertThat(wanted.config()).isEqualTo(made.config());
        assertThat(wanted.arguments()).isEqualTo(made.arguments());
        assertThat(wanted.version()).isEqualTo("v1.36.0");
    }

    @Test
    void itMeansTheSameOnNodesThatWereMadeWithOtherVersions() {
        for (String made : new String[] {"v1.20.2", "v1.24.0", "v1.27.3", "v1.35.1", "v1.36.0"}) {
            assertThat(wishedOn(made, "v1.36.0").arguments())
                    .as(made)
                    .isEqualTo(wishedOn("v1.36.0", "v1.36.0").arguments());
        }
    }

    @Test
    void theWayBackToAnEarlierVersionNamesWhatThatNeeds() {
        KubeletWish there = KubeletSettings.wishFor(facts("v1.27.0"), new KubeletWish.Program("v1.27.0", DIGEST));
        KubeletWish back = KubeletSettings.wishFor(facts("v1.26.0"), new KubeletWish.Program("v1.26.0", DIGEST));
        for (String made : new String[] {"v1.26.0", "v1.27.0"}) {
            KubeletGeneration base = NODE.generation(facts(made), "/usr/local/bin/kubelet");
            assertThat(KubeletSettingRules.against(base, there.and(back).on(base)))
                    .as(made)
                    .isEmpty();
        }
    }

    @Test
    void theNextMinorVersionCanBeHadOnANodeWithPods() {
        // Those between which flags or fields came or went.
        for (int minor : new int[] {21, 24, 27, 35, 36}) {
            String before = "v1." + (minor - 1) + ".0";
            assertThat(KubeletSettingRules.against(
                            NODE.generation(facts(before), "/usr/local/bin/kubelet"),
                            wishedOn(before, "v1." + minor + ".0")))
                    .as(before)
                    .isEmpty();
        }
    }
}
