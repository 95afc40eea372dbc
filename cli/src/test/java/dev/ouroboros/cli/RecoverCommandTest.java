package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.bootstrap.StartAssets;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.node.disk.LocalDisk;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** From a real snapshot to a directory that {@code start} reads. */
final class RecoverCommandTest {
    private static final Path SAMPLE =
            Path.of("../snapshot/src/test/resources/dev/ouroboros/snapshot/etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        file = directory.resolve("backup.db");
        target = directory.resolve("recovered");
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(SAMPLE))) {
            Files.copy(packed, file);
        }
        String secret = Base64.getEncoder()
                .encodeToString("ouroboros-test-key-1-32-bytes!!!".getBytes(StandardCharsets.US_ASCII));
        Files.writeString(directory.resolve("keys.yaml"), """
                kind: EncryptionConfiguration
                resources:
                - resources: [secrets]
                  providers: [{aescbc: {keys: [{name: key1, secret: %s}]}}]
                """.formatted(secret));
    }

    private int recover(String... more) {
        CommandLine commandLine = Ouro.commandLine("recover");
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        String[] all = new String[6 + more.length + 1];
        String[] common = {
            "recover",
            "--recovery-dir",
            target.toString(),
            "--snapshot",
            file.toString(),
            "--encryption-config",
            directory.resolve("keys.yaml").toString()
        };
        System.arraycopy(common, 0, all, 0, common.length);
        System.arraycopy(more, 0, all, common.length, more.length);
        return commandLine.execute(all);
    }

    @Test
    void writesADirectoryThatStartReads() {
        assertThat(recover("--yes")).as(err.toString()).isZero();
        StartAssets assets = StartAssets.read(new LocalDisk(), target);
        assertThat(assets.temporaryPod(Component.API_SERVER).getMetadata().getNamespace())
                .isEqualTo("kube-system");
        assertThat(assets.secrets()).containsKeys("recovered/kube-apiserver/secrets/apiserver.key", "kubeconfig");
        assertThat(assets.nodeCidrs().ranges()).hasSize(1);
        assertThat(out.toString()).contains("new      bootstrap-manifests/bootstrap-apiserver.yaml");
    }

    @Test
    void aSecondRunHasNothingToDo() {
        assertThat(recover("--yes")).isZero();
        assertThat(recover()).as("it does not even ask").isZero();
        assertThat(err.toString()).contains("nothing to do");
    }

    /** Its pages and records are whole. */
    @Test
    void aFileThatWasChangedIsRecoveredFromOnlyWhenAsked() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int value = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("xxxxxxxx");
        bytes[value] ^= 1;
        Files.write(file, bytes);
        assertThat(recover("--yes")).isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("the snapshot's SHA-256 is", "add --damaged");
        assertThat(target).doesNotExist();

        assertThat(recover("--yes", "--damaged")).isZero();
        assertThat(err.toString()).contains("note: " + file);
    }

    @Test
    void aDryRunWritesNothing() {
        assertThat(recover("--dry-run", "-o", "json")).isZero();
        assertThat(out.toString()).contains("\"kind\" : \"RecoveryPlan\"").contains("10.77.0.11:6443");
        assertThat(target).doesNotExist();
    }

    @Test
    void nothingIsWrittenUnasked() {
        assertThat(recover()).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--yes");
        assertThat(target).doesNotExist();
    }
}
