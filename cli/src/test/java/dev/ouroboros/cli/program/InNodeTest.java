package dev.ouroboros.cli.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class InNodeTest {
    @Test
    void keepsJavaFlagsAndClassesWhereTheNodeHasThemAndDropsTheArguments() {
        List<String> command = InNode.commandLine(
                "dev.ouroboros.cli.Ouro",
                Path.of("/usr/lib/jvm/25"),
                List.of(
                        "java",
                        "-Xmx64m",
                        "-XX:AOTCache=/srv/ouro.aot",
                        "-Xlog:aot*=off",
                        "-cp",
                        "/srv/a.jar:/srv/b.jar",
                        "dev.ouroboros.cli.Ouro",
                        "up",
                        "-v"));

        assertThat(command)
                .containsExactly(
                        "/run/ouroboros/host/usr/lib/jvm/25/bin/java",
                        "-Xmx64m",
                        "-XX:AOTCache=/run/ouroboros/host/srv/ouro.aot",
                        "-Xlog:aot*=off",
                        "-cp",
                        "/run/ouroboros/host/srv/a.jar:/run/ouroboros/host/srv/b.jar",
                        "dev.ouroboros.cli.Ouro");
    }
}
