package dev.ouroboros.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KubeconfigVariableTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void anEmptyOneNamesNone() {
        assertThat(KubeconfigVariable.first("")).isEmpty();
        assertThat(KubeconfigVariable.first(":")).isEmpty();
    }

    @Test
    void ofAListTheFirstThatExistsIsMeant() throws IOException {
        Path missing = directory.resolve("a");
        Path second = Files.createFile(directory.resolve("b"));
        Path third = Files.createFile(directory.resolve("c"));

        assertThat(KubeconfigVariable.first(missing + ":" + second + ":" + third))
                .contains(second);
        assertThat(KubeconfigVariable.first(":" + third)).contains(third);
    }

    @Test
    void whereNoneExistsTheFirstIsMissing() {
        assertThat(KubeconfigVariable.first("/none/a:/none/b")).contains(Path.of("/none/a"));
    }
}
