package dev.ouroboros.render.manifest;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KubeletFlagsTest {
    private static void require(String version, String wish) {
        require(version, wish, "{}");
    }

    private static void require(String version, String wish, String more) {
        try {
            KubeletFlags.require(
                    "--argument ",
                    KubernetesVersion.parse(version).orElseThrow(),
                    List.of(wish.replace('\'', '"')),
                    KubeletWish.read(more.replace('\'', '"')));
        } catch (MalformedJson e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aFlagThatTheVersionHasNotIsRefusedBeforeAnyNodeIsTold() {
        Refusal.of(
                () -> require("1.20.2", "{'arguments': {'max-podz': '5'}}"),
                ErrorCode.INVALID_FLAG,
                "--argument max-podz",
                "kubelet v1.20.2 has no --max-podz",
                "kubelet --help");
        Refusal.of(
                () -> require("1.30.0", "{'arguments': {'container-runtime': 'remote'}}"),
                ErrorCode.INVALID_FLAG,
                "--argument container-runtime",
                "kubelet v1.30.0 has no --container-runtime",
                "leave it out");
    }

    @Test
    void whatItHasWhatIsLeftOutAndWhatNobodyKnowsIsTaken() {
        assertThatCode(() -> {
                    require("1.20.2", "{'arguments': {'v': '4', 'max-pods': '5', 'no-such-flag': null}}");
                    require("1.20.2", "maxPods=50");
                    require("1.20.2", "{'arguments': {'max-podz': '5'}}", "{'arguments': {'max-podz': null}}");
                    require("1.19.0", "{'arguments': {'max-podz': '5'}}");
                })
                .doesNotThrowAnyException();
    }
}
