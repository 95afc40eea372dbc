package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class EndpointsCommandTest {
    private static final String KUBECONFIG = """
            {"apiVersion": "v1", "kind": "Config", "current-context": "c",
             "clusters": [{"name": "c", "cluster": {"server": "https://192.0.2.1:6443"}}],
             "users": [{"name": "c", "user": {"token": "t"}}],
             "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}
            """;

    @TempDir
    private Path directory = Path.of("");

    /** Before anybody is asked. */
    @Test
    void aHostsFileNeedsAName() throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), KUBECONFIG);
        StringWriter err = new StringWriter();
        CommandLine commandLine = Ouro.commandLine();
        commandLine.setErr(new PrintWriter(err, true));

        int exitCode = commandLine.execute("endpoints", "-o", "hosts", "--kubeconfig", kubeconfig.toString());

        assertThat(exitCode).isEqualTo(2);
        assertThat(err.toString()).contains("--api-name").contains("192.0.2.1").contains("add --api-name NAME");
    }
}
