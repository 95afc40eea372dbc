package dev.ouroboros.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SeriesTableTest {
    @Test
    void showsTheMedianAndEveryRunInItsOrder() {
        SeriesTable table = new SeriesTable();
        table.add("API back (s)", 9.5);
        table.add("requests failed", 0);
        table.add("API back (s)", 12.25);
        table.add("API back (s)", 8);

        assertThat(table.render()).isEqualTo("""
                        | what | median | every run |
                        |--|--|--|
                        | API back (s) | 9.5 | 9.5, 12.3, 8 |
                        | requests failed | 0 | 0 |
                        """);
    }
}
