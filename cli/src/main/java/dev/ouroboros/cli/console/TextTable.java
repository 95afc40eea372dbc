package dev.ouroboros.cli.console;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Columns for people, as kubectl prints them. */
public final class TextTable {
    private static final int GAP = 3;

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... headings) {
        rows.add(List.of(headings));
    }

    public void row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException("a row has as many cells as there are headings");
        }
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).collect(Collectors.joining());
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < row.size(); column++) {
            String cell = row.get(column);
            line.append(cell).append(" ".repeat(widths[column] - cell.length() + GAP));
        }
        return line.toString().stripTrailing() + "\n";
    }
}
