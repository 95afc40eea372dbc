package dev.ouroboros.bench;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** A result as a Markdown table: median, and in brackets lowest and highest where there are several runs. */
final class MarkdownTable {
    private MarkdownTable() {}

    static String render(BenchResult result) {
        StringBuilder text = new StringBuilder();
        boolean withPeer = result.peer().isPresent();
        String baselineName = result.baseline().tool() + ", measured earlier";
        text.append("| what | ouro |")
                .append(withPeer ? " peer | ratio |" : "")
                .append(' ')
                .append(baselineName);
        text.append(" |\n|--|--|").append(withPeer ? "--|--|" : "").append("--|\n");
        for (Metric metric : Metric.values()) {
            text.append("| ").append(metric.label()).append(" | ");
            text.append(cell(result.ouro().series(metric), metric)).append(" | ");
            if (withPeer) {
                text.append(cell(result.peer().get().series(metric), metric)).append(" | ");
                OptionalDouble ratio = result.ratio(metric);
                text.append(ratio.isPresent() ? String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) : "-");
                text.append(" | ");
            }
            text.append(cell(result.baseline().of(metric), metric)).append(" |\n");
        }
        text.append("\nMedian of ").append(result.runs()).append(" runs (lowest to highest). ");
        text.append(result.baseline().source()).append('\n');
        result.ouro().problems().forEach(problem -> text.append("\n- ouro: ").append(problem));
        result.peer()
                .ifPresent(peer -> peer.problems()
                        .forEach(problem -> text.append("\n- peer: ").append(problem)));
        return text.append(result.complete() ? "" : "\n").toString();
    }

    private static String cell(Optional<Series> series, Metric metric) {
        if (series.isEmpty()) {
            return "not measured";
        }
        Series values = series.get();
        String range = values.values().size() == 1
                ? ""
                : " (" + number(values.lowest()) + " to " + number(values.highest()) + ")";
        return with(metric, number(values.median())) + range;
    }

    private static String cell(List<Baseline.Figure> figures, Metric metric) {
        return figures.stream()
                .map(figure -> with(
                                metric,
                                figure.low() == figure.high()
                                        ? number(figure.low())
                                        : number(figure.low()) + " to " + number(figure.high()))
                        + " on " + figure.kubernetes())
                .collect(Collectors.collectingAndThen(Collectors.joining(", "), text -> text.isEmpty() ? "-" : text));
    }

    private static String with(Metric metric, String number) {
        return metric.unit().isEmpty() ? number : number + " " + metric.unit();
    }

    static String number(double value) {
        String pattern = value == Math.rint(value) && value < 1e6 ? "%.0f" : value < 1 ? "%.3f" : "%.1f";
        return String.format(Locale.ROOT, pattern, value);
    }
}
