package dev.ouroboros.model.kubelet;

import static dev.ouroboros.model.kubelet.KubeletWishTest.BASE;
import static dev.ouroboros.model.kubelet.KubeletWishTest.fields;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class KubeletGenerationTest {
    private static KubeletGeneration with(String config, Map<String, String> arguments) {
        return new KubeletGeneration(
                BASE.version(),
                BASE.program(),
                BASE.digest(),
                fields(config),
                new TreeMap<>(arguments),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void itsFilesAreWhatItsScriptsRead() {
        Map<String, String> files = BASE.files("/g/base");

        assertThat(files.get("run.sh")).endsWith("""
                        exec '/bin/kubelet' \\
                            '--config=/g/base/config.yaml' \\
                            '--root-dir=/var/lib/kubelet' \\
                            '--v=2'
                        """);
        assertThat(files.get("config.yaml")).isEqualTo("""
                cgroupDriver: cgroupfs
                featureGates:
                  A: true
                maxPods: 110
                """);
        assertThat(files.get("healthz")).isEqualTo("127.0.0.1 10248\n");
        assertThat(files.get("program")).isEqualTo("/bin/kubelet\n");
        assertThat(files.get("state-files")).contains("/var/lib/kubelet/cpu_manager_state\n");
        assertThat(files).doesNotContainKey("digest");
    }

    @Test
    void aWordOfAFlagStaysOneWord() {
        assertThat(with("{}", Map.of("node-labels", "a=it's here", "empty", ""))
                        .files("/g")
                        .get("run.sh"))
                .contains("'--node-labels=a=it'\\''s here'", "'--empty'");
    }

    @Test
    void itIsReadAsItWasWritten() throws MalformedJson {
        assertThat(KubeletGeneration.read(BASE.files("/g").getOrDefault("generation.json", "")))
                .isEqualTo(BASE);
        assertThatThrownBy(() -> KubeletGeneration.read("{}")).isInstanceOf(MalformedJson.class);
    }

    @Test
    void stateFilesBelongToAMinorVersionAndAPolicy() {
        String before = BASE.files("/g").get("state");

        assertThat(before).isEqualTo("v1.20\n");
        assertThat(with("{'maxPods': 5}", Map.of()).files("/g").get("state")).isEqualTo(before);
        String policy =
                with("{'cpuManagerPolicy': 'static'}", Map.of()).files("/g").get("state");
        assertThat(policy).isEqualTo("v1.20 cpuManagerPolicy=\"static\"\n");
        assertThat(with("{}", Map.of("cpu-manager-policy", "static"))
                        .files("/g")
                        .get("state"))
                .as("a flag says the same")
                .isEqualTo(policy);
        assertThat(with("{}", Map.of("reserved-cpus", "0")).files("/g").get("state"))
                .isNotEqualTo(before);
    }

    @Test
    void whatCannotBeChangedIsNamedWithItsReason() {
        assertThat(KubeletSettingRules.against(BASE, BASE)).isEmpty();
        assertThat(KubeletSettingRules.against(
                        BASE, with("{'cgroupDriver': 'systemd', 'healthzPort': 0}", Map.of("root-dir", "/data"))))
                .anyMatch(found ->
                        found.startsWith("cgroupDriver cannot be 'systemd': ") && found.endsWith("expected 'cgroupfs'"))
                .anyMatch(found -> found.startsWith("--root-dir cannot be '/data': "))
                .anyMatch(found -> found.startsWith("healthzPort cannot be 0: "))
                .hasSize(3);
    }

    @Test
    void aSettingThatMovesFromAFlagToAFieldIsTheSame() {
        KubeletGeneration flag = with("{}", Map.of("container-runtime-endpoint", "unix:///run/c.sock"));
        KubeletGeneration field = with("{'containerRuntimeEndpoint': 'unix:///run/c.sock'}", Map.of());

        assertThat(KubeletSettingRules.against(flag, field)).isEmpty();
    }

    @Test
    void aReportIsReadAsItWasWritten() {
        KubeletReport report =
                new KubeletReport(KubeletReport.State.FAILED, KubeletReport.digestOf("{}"), "base", "abc", "ended");

        assertThat(KubeletReport.read(JsonText.text(report.json()))).contains(report);
        assertThat(KubeletReport.read("none of ours")).isEmpty();
        assertThat(KubeletReport.read("{\"state\": \"Dreaming\"}")).isEmpty();
        assertThat(KubeletReport.digestOf("")).isEmpty();
    }
}
