package dev.ouroboros.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What several runs of one thing gave: a row for each figure, with every run's value beside the median. */
final class SeriesTable {
    private final Map<String, List<Double>> rows = new LinkedHashMap<>();

    /** @param figure with its unit */
    void add(String figure, double value) {
        rows.computeIfAbsent(figure, _ -> new ArrayList<>()).add(value);
    }

    /** Markdown. */
    String render() {
        StringBuilder text = new StringBuilder("| what | median | every run |\n|--|--|--|\n");
        rows.forEach((figure, values) -> text.append("| ")
                .append(figure)
                .append(" | ")
                .append(MarkdownTable.number(new Series(values).median()))
                .append(" | ")
                .append(String.join(
                        ", ", values.stream().map(MarkdownTable::number).toList()))
                .append(" |\n"));
        return text.toString();
    }
}
