package dev.ouroboros.upgrade.diff;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.upgrade.diff.SideBySide.Known;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SideBySideTest {
    private static final String NAME = "DaemonSet kube-system/x";
    private static final String FLAG = "spec.template.spec.containers[x].command --v";

    @Test
    void whereAllSayTheSameIsNoDifference() {
        assertThat(compare("--v=1", "--v=1", "--v=1", "--v=1")).isEmpty();
    }

    @Test
    void everySideShowsWhatItHas() {
        assertThat(compare("--v=1", "--v=2", "--v=3", "--w=4"))
                .containsExactly(
                        new Difference(
                                NAME,
                                FLAG,
                                Map.of(
                                        Side.INTENT, Optional.of("1"),
                                        Side.API, Optional.of("2"),
                                        Side.CHECKPOINT, Optional.of("3"),
                                        Side.PROCESS, Optional.empty())),
                        new Difference(
                                NAME,
                                FLAG.replace("--v", "--w"),
                                Map.of(
                                        Side.INTENT, Optional.empty(),
                                        Side.API, Optional.empty(),
                                        Side.CHECKPOINT, Optional.empty(),
                                        Side.PROCESS, Optional.of("4"))));
    }

    @Test
    void whatTheKubeletMadeOfAVariableIsTheSame() {
        assertThat(compare("--v=a$(POD_IP)b", "--v=a$(POD_IP)b", "--v=a$(POD_IP)b", "--v=a10.0.0.1b"))
                .isEmpty();
        assertThat(compare("--v=a$(POD_IP)b", "--v=a$(POD_IP)b", "--v=a$(POD_IP)b", "--v=c10.0.0.1b"))
                .hasSize(1);
    }

    @Test
    void whatOnlyAServerWritesIsNoDifference() {
        Json live = ((Json.Fields) workload("--v=1")).with("status", Json.text("ready"));
        assertThat(SideBySide.compare(
                        NAME, new Known(workload("--v=1"), Optional.of(live), Optional.empty(), Optional.empty())))
                .isEmpty();
    }

    @Test
    void aSideThatCouldNotBeAskedIsNotShown() {
        assertThat(SideBySide.compare(
                        NAME,
                        new Known(
                                workload("--v=1"), Optional.of(workload("--v=2")), Optional.empty(), Optional.empty())))
                .containsExactly(
                        new Difference(NAME, FLAG, Map.of(Side.INTENT, Optional.of("1"), Side.API, Optional.of("2"))));
    }

    private static List<Difference> compare(String intent, String api, String checkpoint, String process) {
        return SideBySide.compare(
                NAME,
                new Known(
                        workload(intent),
                        Optional.of(workload(api)),
                        Optional.of(
                                Json.object().with("spec", workload(checkpoint).at("spec", "template", "spec"))),
                        Optional.of(List.of("/usr/bin/x", process))));
    }

    private static Json workload(String flag) {
        try {
            return JsonText.read("""
                    {"kind": "DaemonSet", "spec": {"template": {"spec": {"containers": [{"name": "x", "command": ["x", "%s"]}]}}}}
                    """.formatted(flag));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }
}
