package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InNodeTest {
    @Test
    void keepsJavaFlagsAndClassesAndDropsTheArguments() {
        List<String> command = InNode.commandLine(
                Path.of("/usr/lib/jvm/25"),
                List.of("java", "-Xmx64m", "-cp", "/srv/a.jar:/srv/b.jar", "dev.ouroboros.cli.Ouro", "up", "-v"));

        assertThat(command)
                .containsExactly(
                        "/usr/lib/jvm/25/bin/java",
                        "-Xmx64m",
                        "-cp",
                        "/srv/a.jar:/srv/b.jar",
                        "dev.ouroboros.cli.Ouro");
    }

    @Test
    void namesFilesThatTheNodeHidesWhereItHasThem() {
        List<String> command = InNode.commandLine(
                Path.of("/tmp/jdk"), List.of("java", "-cp", "/tmp/a.jar:/opt/b.jar", "dev.ouroboros.cli.Ouro"));

        assertThat(command)
                .containsExactly(
                        "/run/ouroboros/host/tmp/jdk/bin/java",
                        "-cp",
                        "/run/ouroboros/host/tmp/a.jar:/opt/b.jar",
                        "dev.ouroboros.cli.Ouro");
    }
}
