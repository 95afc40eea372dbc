package dev.ouroboros.status.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.ouroboros.status.StatusScene;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CheckpointViewTest {
    private final StatusScene scene = new StatusScene();

    private String text(boolean wide) {
        return TextView.of(scene.report(), Palette.PLAIN, wide);
    }

    private JsonNode apiServer() {
        for (JsonNode component : DataView.of(scene.report()).path("components")) {
            if (component.path("name").asText().equals("kube-apiserver")) {
                return component;
            }
        }
        throw new AssertionError("no kube-apiserver");
    }

    @Test
    void showsWhatTheOnlyNodesKeeperSaysWhereThereIsNothingElseToSee() {
        scene.node("one", true, Optional.of(StatusScene.told(StatusScene.API_SERVER, StatusScene.SCHEDULER)))
                .podOn("one", StatusScene.KEEPER, true)
                .noNode();
        assertThat(text(false)).contains("""
                2       kube-apiserver   DaemonSet    one    1.20.2    ready    last-good 70m   364d
                3       kube-scheduler   Deployment   one    1.20.2    ready    last-good 70m   364d
                """).doesNotContain("\nCHECKPOINT").doesNotContain("checkpoint of");
    }

    @Test
    void hasAColumnForEachOfSeveralNodes() {
        scene.another("two", Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .another("three", Optional.empty());
        assertThat(text(false)).contains("   2/3 last-good   ").contains("""
                self-hosted: layers 2-3

                CHECKPOINT       one             three   two
                kube-apiserver   last-good 10m   ?       last-good 70m
                kube-scheduler   last-good 10m   -       -

                unknown: checkpoint of kube-apiserver on three
                         no keeper has said so on Node three (annotation ouroboros.dev/checkpoints)
                """);
        assertThat(text(true)).contains("""
                CHECKPOINT       one                      three   two
                kube-apiserver   last-good 10m 3f3f3f3f   ?       last-good 70m 2e2e2e2e
                """).contains("   3f3f3f3f,2e2e2e2e   ");
    }

    @Test
    void showsNodesThatLackOne() {
        scene.another("two", Optional.of(StatusScene.told()));
        assertThat(text(false))
                .contains("kube-apiserver   last-good 10m   none\n")
                .contains("1/2 last-good")
                .contains("problem: kube-apiserver: no checkpoint on two: it would not come back after a power cut\n");
    }

    @Test
    void noAgeIsNegativeWhateverTheClocksSay() {
        scene.another(
                "two", Optional.of(StatusScene.told(StatusScene.API_SERVER).replace("T01:50:00Z", "T09:00:00Z")));
        assertThat(text(false)).contains("last-good 0s").doesNotContain("-36").contains("its clock was ahead");
        assertThat(Age.since(StatusScene.NOW.plus(Duration.ofDays(1)), StatusScene.NOW))
                .isEqualTo("0s");
    }

    @Test
    void programsGetEveryNodeWithWhoSaidSoAndWhen() {
        scene.node("two", false, Optional.of(StatusScene.told(StatusScene.API_SERVER)))
                .podOn("two", StatusScene.API_SERVER, true)
                .another("three", Optional.of("nonsense"));
        JsonNode checkpoints = apiServer().path("checkpoints");
        assertThat(checkpoints.findValuesAsText("node")).containsExactly("one", "three", "two");
        assertThat(checkpoints.path(0).path("lastGood").path("revision").asText())
                .isEqualTo("3f".repeat(32));
        assertThat(checkpoints.path(0).has("toldAt")).isFalse();
        assertThat(checkpoints.path(1).path("unknown").asText()).contains("is not JSON");
        assertThat(checkpoints.path(2).path("lastGood").path("savedAt").asText())
                .isEqualTo("2026-03-01T01:50:00Z");
        assertThat(checkpoints.path(2).path("toldAt").asText()).isEqualTo("2026-03-01T02:00:00Z");
        assertThat(checkpoints.path(2).path("doubt").asText()).isEqualTo("Node two is not ready");
        assertThat(apiServer()
                        .path("checkpoint")
                        .path("lastGood")
                        .path("revision")
                        .asText())
                .as("of the node that was looked at")
                .isEqualTo("3f".repeat(32));
    }

    @Test
    void programsAreToldThatNoNodeIsKnown() {
        scene.noNode();
        assertThat(apiServer().path("checkpoint").path("unknown").asText()).contains("only its node knows");
        assertThat(apiServer().has("checkpoints")).isFalse();
    }
}
