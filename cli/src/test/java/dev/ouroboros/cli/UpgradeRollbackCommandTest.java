package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class UpgradeRollbackCommandTest {
    @TempDir
    private Path directory = Path.of("");

    /** On machines of one's own the directory would stay the target's, and the upgrade one that is to be taken back. */
    @Test
    void whatIsSaidToBeRunMakesTheAssetDirectoryThatOfBefore() throws Exception {
        try (Blunder blunder = new Blunder(directory)) {
            blunder.file("assets/.ouroboros/upgrade/a/0/manifests/x.yaml", manifest("before"));
            blunder.file("assets/.ouroboros/upgrade/a/0/.ouroboros/rendered.json", "list of before");
            blunder.file("assets/.ouroboros/rendered.json", "list");
            blunder.file("assets/manifests/x.yaml", manifest("after"));
            Path added = blunder.file("assets/manifests/new.yaml", manifest("after"));
            Path journal = blunder.file("assets/.ouroboros/upgrade.json", """
                    {"format": 1, "id": "a", "direction": "forward", "from": "1.35.0", "to": "1.36.2",
                     "begun": "2026-11-21T00:00:00Z", "preferences": ["live"], "chosen": false, "done": ["rendered", "done"],
                     "snapshot": {"file": "/backup/a.db", "revision": 7, "taken": "2026-11-21T00:00:00Z"}}
                    """);
            StringWriter out = new StringWriter();
            CommandLine ouro = Ouro.commandLine();
            ouro.setOut(new PrintWriter(out, true));

            int exitCode = ouro.execute(
                    "upgrade",
                    "rollback",
                    "--accept-loss",
                    "7",
                    "--asset-dir",
                    blunder.path("assets").toString(),
                    "--kubeconfig",
                    blunder.kubeconfig(new TestAuthority(), Blunder.deadPort()).toString());

            assertThat(exitCode).as(out.toString()).isEqualTo(3);
            assertThat(out.toString()).contains("ouro start --asset-dir ASSETS --etcd-snapshot /backup/a.db");
            out.toString()
                    .lines()
                    .filter(line -> line.startsWith("  rm ") || line.startsWith("  cp "))
                    .forEach(line -> new LocalProcesses()
                            .run(Command.of("/bin/sh", "-c", line))
                            .orThrow());
            assertThat(blunder.path("assets/manifests/x.yaml")).hasContent(manifest("before"));
            assertThat(blunder.path("assets/.ouroboros/rendered.json")).hasContent("list of before");
            assertThat(Files.exists(added) || Files.exists(journal)).isFalse();
        }
    }

    private static String manifest(String level) {
        return """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: level}
                data: {level: %s}
                """.formatted(level);
    }
}
