package dev.ouroboros.status.view;

import dev.ouroboros.status.model.ComponentHealth.Grade;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Aligned columns, as kubectl prints them; a cell's colour does not move the next one. */
final class Columns {
    private static final int GAP = 3;

    private final Palette palette;
    private final List<List<Cell>> rows = new ArrayList<>();

    Columns(Palette palette) {
        this.palette = palette;
    }

    record Cell(String text, Optional<Grade> grade) {
        static Cell of(String text) {
            return new Cell(text, Optional.empty());
        }

        static Cell of(String text, Grade grade) {
            return new Cell(text, Optional.of(grade));
        }
    }

    void row(List<Cell> cells) {
        rows.add(List.copyOf(cells));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (List<Cell> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                Cell cell = row.get(column);
                line.append(cell.grade()
                        .map(grade -> palette.paint(grade, cell.text()))
                        .orElse(cell.text()));
                if (column < row.size() - 1) {
                    line.append(" ".repeat(width(column) - cell.text().length() + GAP));
                }
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream()
                .filter(row -> column < row.size())
                .mapToInt(row -> row.get(column).text().length())
                .max()
                .orElse(0);
    }
}
