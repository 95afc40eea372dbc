package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.cli.program.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SnapshotCommandTest {
    /** The snapshot of the module's own tests. */
    private static final Path SAMPLE =
            Path.of("../snapshot/src/test/resources/dev/ouroboros/snapshot/etcd-3.6.13-kubernetes-1.36.2-aescbc.db.gz");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    @BeforeEach
    void unpack() throws IOException {
        file = directory.resolve("backup.db");
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(SAMPLE))) {
            Files.copy(packed, file);
        }
    }

    private int run(String... arguments) {
        CommandLine commandLine = Ouro.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private Path keys() throws IOException {
        String secret = Base64.getEncoder()
                .encodeToString("ouroboros-test-key-1-32-bytes!!!".getBytes(StandardCharsets.US_ASCII));
        return Files.writeString(directory.resolve("keys.yaml"), """
            kind: EncryptionConfiguration
            resources:
            - resources: [secrets]
              providers: [{aescbc: {keys: [{name: key1, secret: %s}]}}]
            """.formatted(secret));
    }

    @Test
    void inspectShowsWhatIsInside() {
        assertThat(run("snapshot", "inspect", file.toString())).isEqualTo(ExitCode.DONE);
        assertThat(out.toString())
                .contains("hash         1092337012")
                .contains("revision     626, never compacted")
                .contains("secrets                              63        36953                                     "
                        + " aescbc key1")
                .contains("and 62 more: is encrypted with aescbc key1, and this key was not given");
    }

    @Test
    void salvagesAFileWithoutMetaPagesWhenAsked() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        Arrays.fill(bytes, 0, 2 * 4096, (byte) 0);
        Files.write(file, bytes);
        assertThat(run("snapshot", "inspect", file.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("--salvage");
        assertThat(run("snapshot", "inspect", file.toString(), "--salvage")).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString()).contains("hash         none: salvaged").contains("552 live");
        assertThat(err.toString()).contains("was salvaged: the tree of the former root page");
        out.getBuffer().setLength(0);
        assertThat(run("snapshot", "extract", file.toString(), "--salvage", "-n", "canary", "-r", "configmaps"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(out.toString().split("---\n", -1)).hasSize(281);
    }

    @Test
    void inspectPrintsData() throws IOException {
        assertThat(run("snapshot", "inspect", file.toString(), "-o", "json")).isEqualTo(ExitCode.DONE);
        JsonNode data = new ObjectMapper().readTree(out.toString());
        assertThat(data.at("/etcd/liveKeys").asInt()).isEqualTo(552);
        assertThat(data.at("/controlPlane/0/name").asText()).isEqualTo("kube-system/kube-apiserver");
        out.getBuffer().setLength(0);
        assertThat(run("snapshot", "inspect", file.toString(), "-o", "yaml")).isEqualTo(ExitCode.DONE);
        assertThat(new YAMLMapper().readTree(out.toString())).isEqualTo(data);
    }

    @Test
    void inspectEndsWithOneWhenSomethingIsDamaged() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[30 * 4096 + 10] ^= 0x7f;
        Files.write(file, bytes);
        assertThat(run("snapshot", "inspect", file.toString())).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString()).contains("WRONG");
        assertThat(err.toString()).contains("error DAMAGED_FILE: " + file);
    }

    @Test
    void extractEndsWithOneWhenTheFileWasChanged() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("xxxxxxxx")] ^= 1;
        Files.write(file, bytes);
        assertThat(run("snapshot", "extract", file.toString(), "-r", "configmaps"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("the snapshot's SHA-256 is");
    }

    @Test
    void extractPrintsADocumentAnObject() throws IOException {
        assertThat(run(
                        "snapshot",
                        "extract",
                        file.toString(),
                        "--resource=secrets",
                        "--object-name=secret-0007",
                        "--encryption-config",
                        keys().toString()))
                .isEqualTo(ExitCode.DONE);
        assertThat(out.toString())
                .startsWith("---\napiVersion: v1\nkind: Secret\n")
                .contains("password: Y2FuYXJ5LTc=");
        assertThat(err.toString()).isEqualTo("1 object" + System.lineSeparator());
    }

    @Test
    void extractPrintsAList() throws IOException {
        assertThat(run("snapshot", "extract", file.toString(), "-r", "configmaps", "-l", "touched=yes", "-o", "json"))
                .isEqualTo(ExitCode.DONE);
        assertThat(new ObjectMapper().readTree(out.toString()).path("items")).hasSize(20);
        out.getBuffer().setLength(0);
        assertThat(run("snapshot", "extract", file.toString(), "-r", "cm", "-l", "touched=yes", "-o", "json"))
                .isEqualTo(ExitCode.DONE);
        assertThat(new ObjectMapper().readTree(out.toString()).path("items")).hasSize(20);
        out.getBuffer().setLength(0);
        assertThat(run("snapshot", "extract", file.toString(), "-n", "nowhere", "-o", "json"))
                .isEqualTo(ExitCode.DONE);
        assertThat(new ObjectMapper().readTree(out.toString()).path("items")).isEmpty();
    }

    @Test
    void extractSaysWhatItCouldNotRead() {
        assertThat(run("snapshot", "extract", file.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(out.toString().lines().filter(line -> line.startsWith("kind: ")))
                .hasSize(552 - 63);
        assertThat(err.toString()).contains("error KEY_MISSING");
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThat(run("snapshot", "extract", file.toString(), "-l", "a in (b)"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run("snapshot", "extract", file.toString(), "-o", "table")).isEqualTo(ExitCode.USAGE);
        assertThat(run("snapshot", "extract", file.toString(), "--revision", "9999"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run("snapshot", "inspect", directory.resolve("missing").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(run(
                        "snapshot",
                        "inspect",
                        file.toString(),
                        "--encryption-config",
                        directory.resolve("missing").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString().lines()).hasSize(5).allMatch(line -> line.startsWith("error "));
    }

    @Test
    void extractRefusesAResourceThatThereIsNot() {
        assertThat(run("snapshot", "extract", file.toString(), "-r", "po,secretz"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .startsWith("error INVALID_FLAG: --resource: 'secretz' is no resource")
                .contains("configmaps, ")
                .contains("did you mean secrets?")
                .hasLineCount(1);
    }

    @Test
    void saveTakesASandboxOrServersNotBoth() {
        assertThat(run("snapshot", "save", "x.db", "--name", "one", "--etcd-servers", "https://127.0.0.1:1"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("--name: is given beside --etcd-servers");
    }

    @Test
    void saveSaysThatNobodyAnswersAndLeavesNoFile() {
        Path target = directory.resolve("new.db");
        assertThat(run("snapshot", "save", target.toString(), "--etcd-servers", "https://127.0.0.1:1"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(err.toString()).contains("ETCD_UNAVAILABLE").contains("https://127.0.0.1:1");
        assertThat(target).doesNotExist();
    }

    @Test
    void saveRefusesToKeepSomeOfOneName() {
        assertThat(run("snapshot", "save", "x.db", "--keep", "3", "--etcd-servers", "https://127.0.0.1:1"))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("{time}");
    }

    @Test
    void listsWhatWasSavedAndWhatBecameOfIt() throws IOException {
        Path cluster = Files.createDirectory(directory.resolve("cluster"));
        Path kept = Files.copy(file, cluster.resolve("a.db"));
        Files.writeString(cluster.resolve("a.db.keys.yaml"), "kind: EncryptionConfiguration");
        byte[] bytes = Files.readAllBytes(kept);
        String sum = HexFormat.of().formatHex(bytes, bytes.length - 32, bytes.length);
        Files.writeString(
                cluster.resolve(".ouroboros-snapshots.json"), "{\"sha256ByName\": {\"a.db\": \"" + sum + "\"}}");

        assertThat(run("snapshot", "list", directory.toString())).isEqualTo(ExitCode.DONE);
        assertThat(out.toString()).contains("FILE", "a.db", "yes", "as saved");

        Files.writeString(
                cluster.resolve(".ouroboros-snapshots.json"),
                "{\"sha256ByName\": {\"a.db\": \"00\", \"b.db\": \"00\"}}");
        assertThat(run("snapshot", "list", directory.toString())).isEqualTo(ExitCode.FAILED);
        assertThat(out.toString()).contains("changed", "missing");
    }

    @Test
    void aDirectoryWithoutSnapshotsIsNoList() {
        assertThat(run("snapshot", "list", directory.resolve("nowhere").toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("NOT_FOUND", "has no snapshot that ouro saved");
    }
}
