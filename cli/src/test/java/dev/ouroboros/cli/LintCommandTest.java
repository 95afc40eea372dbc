package dev.ouroboros.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class LintCommandTest {
    private static final String NEWEST = VersionFacts.newestKnown().minorName();
    private static final String BAD = """
            kind: DaemonSet
            metadata: {name: a, namespace: kube-system}
            spec:
              template:
                metadata: {annotations: {ouroboros.dev/checkpoint: "true"}}
                spec:
                  automountServiceAccountToken: false
                  containers: [{name: a}]
                  volumes:
                  - name: v
                    csi: {driver: x}
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory = Path.of("");

    private int run(String... arguments) {
        CommandLine commandLine = Ouro.commandLine();
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

    private Path write(String name, String text) throws IOException {
        Files.createDirectories(directory.resolve(name).resolveSibling(""));
        return Files.writeString(directory.resolve(name), text);
    }

    @Test
    void printsALineAFindingAndEndsWithThree() throws IOException {
        Path file = write("deep/bad.yaml", BAD);
        write("deep/README.md", "not: [yaml");

        assertThat(run("lint", directory.toString())).isEqualTo(ExitCode.FINDINGS);
        assertThat(out.toString())
                .startsWith(file
                        + ":11: refused csi-volume: DaemonSet kube-system/a spec.template.spec.volumes[0].csi needs")
                .contains("a kubelet of " + NEWEST + " refuses it in a static pod; use a hostPath");
        assertThat(err.toString()).contains("1 finding in 1 pod of 1 file, for a kubelet of " + NEWEST + ".");
    }

    @Test
    void printsDataForPrograms() throws IOException {
        Path file = write("bad.yaml", BAD);

        run("lint", file.toString(), "-o", "json", "--kubelet-version", "1.20.2");
        JsonNode found = new ObjectMapper().readTree(out.toString()).get(0);

        assertThat(found.get("line").asInt()).isEqualTo(11);
        assertThat(found.get("rule").asText()).isEqualTo("csi-volume");
        assertThat(found.get("what").asText()).doesNotContain("kubelet of");
    }

    @Test
    void endsWithZeroWhenAllIsFine() throws IOException {
        Path file = write("fine.yaml", "{kind: Pod, spec: {containers: [{name: a}]}}");

        assertThat(run("lint", file.toString())).isEqualTo(ExitCode.DONE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).contains("0 findings in 0 pods of 1 file", "--all judges every pod");
        assertThat(run("lint", "--static-pods", file.toString())).isEqualTo(ExitCode.DONE);
        assertThat(run("lint", "--all", file.toString())).isEqualTo(ExitCode.FINDINGS);
    }

    @Test
    void collectsEverythingThatCannotBeRead() throws IOException {
        Path broken = write("broken.yaml", "a: [");
        Path gone = directory.resolve("gone");

        assertThat(run("lint", broken.toString(), gone.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(gone + ": does not exist", broken + ":");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void refusesBadUsage() {
        assertThat(run("lint")).isEqualTo(ExitCode.USAGE);
        assertThat(run("lint", "x", "--kubelet-version", "latest")).isEqualTo(ExitCode.USAGE);
        assertThat(run("lint", "x", "--all", "--static-pods")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("FILE|DIR", "'latest' is no version", "--all and --static-pods");
    }

    @Test
    void documentsItsRulesWithTheirSources() throws JsonProcessingException {
        assertThat(run("lint", "--rules")).isEqualTo(ExitCode.DONE);
        assertThat(StaticPodRules.load().all())
                .allSatisfy(rule -> assertThat(out.toString()).contains(rule.id() + " (", rule.source()));
        out.getBuffer().setLength(0);

        run("lint", "--rules", "-o", "yaml");
        JsonNode rules = new YAMLMapper().readTree(out.toString());
        assertThat(rules).hasSize(StaticPodRules.load().all().size());
        assertThat(rules.get(0).get("rejectedSince").asText()).isEqualTo("1.34");
    }

    @Test
    void helpHasAnExample() {
        assertThat(run("lint", "--help")).isEqualTo(ExitCode.DONE);
        assertThat(out.toString()).contains("Example:", "ouro lint demo/manifests");
    }
}
