package dev.ouroboros.facts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.facts.KnownFlags.Verdict;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import org.junit.jupiter.api.Test;

class KnownFlagsTest {
    @Test
    void namesTheSuccessorOfARemovedFlag() {
        Verdict verdict = flags("1.25").judge(Component.API_SERVER, "experimental-encryption-provider-config");

        assertThat(verdict).isInstanceOfSatisfying(Verdict.OtherVersion.class, other -> {
            assertThat(other.successor()).contains("--encryption-provider-config");
            assertThat(other.range().describe()).isEqualTo("before 1.24");
        });
    }

    @Test
    void knowsFromWhichVersionOnAFlagExists() {
        assertThat(flags("1.26").judge(Component.API_SERVER, "shutdown-watch-termination-grace-period"))
                .isInstanceOf(Verdict.OtherVersion.class);
        assertThat(flags("1.27").judge(Component.API_SERVER, "shutdown-watch-termination-grace-period"))
                .isInstanceOf(Verdict.Known.class);
    }

    @Test
    void knowsAFlagThatWasWrittenWithUnderscores() {
        Component component = Component.CONTROLLER_MANAGER;

        assertThat(flags("1.20").judge(component, "concurrent_rc_syncs")).isInstanceOf(Verdict.Known.class);
        assertThat(flags("1.20").judge(component, "concurrent-rc-syncs")).isInstanceOf(Verdict.Unknown.class);
        assertThat(flags("1.36").judge(component, "concurrent_rc_syncs")).isInstanceOf(Verdict.Known.class);
        assertThat(flags("1.36").judge(component, "concurrent-rc-syncs")).isInstanceOf(Verdict.Known.class);
    }

    @Test
    void suggestsTheNearestFlagForAMisspeltOne() {
        assertThat(flags("1.20").judge(Component.API_SERVER, "goaway-chnace"))
                .isEqualTo(new Verdict.Unknown(java.util.Optional.of("goaway-chance")));
        assertThat(flags("1.20").judge(Component.SCHEDULER, "etcd-servers")).isInstanceOf(Verdict.Unknown.class);
    }

    @Test
    void refusesNoUnknownFlagOfAVersionThatIsNewerThanTheLists() {
        assertThat(flags("1.36").judge(Component.API_SERVER, "not-invented-yet"))
                .isInstanceOf(Verdict.Unknown.class);
        assertThat(flags("1.37").judge(Component.API_SERVER, "not-invented-yet"))
                .isInstanceOf(Verdict.Known.class);
        assertThat(flags("1.37").judge(Component.API_SERVER, "insecure-port")).isInstanceOf(Verdict.OtherVersion.class);
    }

    private static KnownFlags flags(String version) {
        return VersionFacts.of(KubernetesVersion.parse(version).orElseThrow()).flags();
    }
}
