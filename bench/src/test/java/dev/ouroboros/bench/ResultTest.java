package dev.ouroboros.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResultTest {
    private static final Baseline BASELINE = new Baseline(
            "bootkube",
            "How it was measured.",
            List.of(
                    new Baseline.Figure(Metric.RENDER, "1.20.2", 0.6, 1.0),
                    new Baseline.Figure(Metric.SERVES_ALONE, "1.20.2", 44.2, 44.2)));

    @Test
    void medianIsTheMiddleValueOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(new Series(List.of(9.0, 1.0, 2.0)).median()).isEqualTo(2.0);
        assertThat(new Series(List.of(4.0, 1.0, 2.0, 9.0)).median()).isEqualTo(3.0);
        assertThatThrownBy(() -> new Series(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Series(List.of(Double.NaN))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void claimsNoRatioWithoutAPeer() {
        BenchResult result =
                new BenchResult(1, measured(Map.of(Metric.SERVES_ALONE, 11.0)), Optional.empty(), BASELINE);
        assertThat(result.ratio(Metric.SERVES_ALONE)).isEmpty();
        assertThat(MarkdownTable.render(result))
                .contains("| what | ouro | bootkube, measured earlier |")
                .contains("| start: self-hosted control plane serves alone | 11 s | 44.2 s on 1.20.2 |")
                .contains("| render | not measured | 0.600 to 1 s on 1.20.2 |");
    }

    @Test
    void dividesByAPeerThatWasMeasuredInTheSameRun() throws Exception {
        Measurements ours = measured(Map.of(Metric.RENDER, 0.25));
        ours.add(Map.of(Metric.RENDER, 0.35));
        Measurements theirs = measured(Map.of(Metric.RENDER, 0.6, Metric.FAILED_REQUESTS, 0.0));
        BenchResult result = new BenchResult(2, ours, Optional.of(theirs), BASELINE);
        assertThat(result.ratio(Metric.RENDER)).hasValue(0.5);
        assertThat(result.ratio(Metric.FAILED_REQUESTS)).isEmpty();
        assertThat(MarkdownTable.render(result))
                .contains("| render | 0.300 s (0.250 to 0.350) | 0.600 s | 0.50 | 0.600 to 1 s on 1.20.2 |");
        JsonNode json = new ObjectMapper().readTree(JsonResult.render(result));
        assertThat(json.path("metrics"))
                .filteredOn(metric -> metric.path("metric").asText().equals("RENDER"))
                .singleElement()
                .satisfies(metric -> {
                    assertThat(metric.path("ratio").asDouble()).isEqualTo(0.5);
                    assertThat(metric.path("ouro").path("values")).hasSize(2);
                });
    }

    @Test
    void showsWhatWentWrong() {
        Measurements ours = measured(Map.of());
        ours.addProblem("run 1, start: exit code 1");
        BenchResult result = new BenchResult(1, ours, Optional.empty(), BASELINE);
        assertThat(result.complete()).isFalse();
        assertThat(MarkdownTable.render(result)).endsWith("- ouro: run 1, start: exit code 1\n");
    }

    @Test
    void takesTheFirstOfEachMilestoneFromAStartReport() throws Exception {
        String json = """
                {"startedAt": "2026-11-21T00:00:00Z", "events": [
                  {"event": "PhaseTemporary", "elapsedSeconds": 0.1},
                  {"event": "FirstAnswer", "elapsedSeconds": 3.5},
                  {"event": "FirstAnswer", "elapsedSeconds": 4.5},
                  {"event": "ServesAlone", "elapsedSeconds": 12.25},
                  {"event": "Accepted"}]}
                """;
        assertThat(StartReport.parse(json)).isEqualTo(Map.of(Metric.FIRST_ANSWER, 3.5, Metric.SERVES_ALONE, 12.25));
    }

    @Test
    void theBaselineFileIsComplete() throws Exception {
        Baseline baseline = Baseline.parse(Files.readString(Path.of("baseline.json")));
        assertThat(baseline.of(Metric.SERVES_ALONE))
                .extracting(Baseline.Figure::kubernetes)
                .containsExactly("1.20.2", "1.36.2");
        assertThat(baseline.source()).isNotBlank();
    }

    private static Measurements measured(Map<Metric, Double> run) {
        Measurements measurements = new Measurements();
        measurements.add(run);
        return measurements;
    }
}
