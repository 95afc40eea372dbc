package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page of {@code docs} that is made from the code: the test fails when it is out of date, and writes it anew when it is told to. */
final class GeneratedPage {
    private static final String WRITE = "OURO_WRITE_REFERENCE";

    private GeneratedPage() {}

    static void requireUpToDate(Path file, String right) throws IOException {
        if (System.getenv(WRITE) != null) {
            Files.writeString(file, right);
        }
        assertThat(Files.readString(file))
                .as("%s; %s=1 ./test cli writes it anew", file, WRITE)
                .isEqualTo(right);
    }
}
