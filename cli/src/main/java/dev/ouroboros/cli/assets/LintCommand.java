package dev.ouroboros.cli.assets;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.checkpoint.StaticPodRule;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.render.lint.Lint;
import dev.ouroboros.render.lint.LintFinding;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro lint}. */
@Command(
        name = "lint",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Finds in manifests what cannot be checkpointed, as no static pod can have it on a kubelet of this version.",
            "Ends with 3 when there is a finding."
        },
        footer = {
            "",
            "Example:",
            "  ouro lint demo/manifests --kubelet-version v1.36.3",
            "  ouro lint /etc/kubernetes/manifests --static-pods",
            "  ouro lint --rules"
        })
public final class LintCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE|DIR",
            description = "Manifests in YAML or JSON; of a directory all *.yaml, *.yml and *.json in and below it.")
    private List<Path> paths = List.of();

    @Option(
            names = "--kubelet-version",
            paramLabel = "VERSION",
            description = "As in v1.36.3 (default: the newest that this ouro knows).")
    private @Nullable String kubeletVersion;

    @Option(names = "--all", description = "Judge all pods as if they had the annotation ouroboros.dev/checkpoint.")
    private boolean all;

    @Option(names = "--static-pods", description = "The Pods are static pods already: judge them as the kubelet does.")
    private boolean staticPods;

    @Option(names = "--rules", description = "Print the rules, each with its source, and judge nothing.")
    private boolean printRules;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        StaticPodRules rules = StaticPodRules.load();
        if (printRules) {
            output.print(spec, data(rules), () -> table(rules));
            return ExitCode.DONE;
        }
        KubernetesVersion kubelet = kubelet();
        Lint lint = new Lint(rules, kubelet, scope());
        int files = read(lint);
        List<LintFinding> findings = lint.findings();
        output.print(spec, data(findings, kubelet), () -> text(findings, kubelet));
        summarize(findings.size(), lint.pods(), files, kubelet);
        return findings.isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private Lint.Scope scope() {
        if (all && staticPods) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--all and --static-pods",
                    "cannot be given together",
                    "one of them",
                    "say --static-pods for static pods, --all for pods of an API");
        }
        if (staticPods) {
            return Lint.Scope.STATIC;
        }
        return all ? Lint.Scope.ALL : Lint.Scope.ASKING;
    }

    private KubernetesVersion kubelet() {
        if (kubeletVersion == null) {
            return VersionFacts.newestKnown();
        }
        return KubernetesVersion.parse(kubeletVersion)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        "--kubelet-version",
                        "'" + kubeletVersion + "' is no version",
                        "one as in v1.36.3",
                        "leave --kubelet-version out to judge for the newest known kubelet"));
    }

    /** Judges all files; what cannot be read is collected. */
    private int read(Lint lint) {
        Disk disk = ThisMachine.disk();
        List<Problem> problems = new ArrayList<>();
        List<Path> files = new ArrayList<>();
        if (paths.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "FILE|DIR",
                    "is missing",
                    "a file or a directory of manifests",
                    "ouro lint --help");
        }
        for (Path path : paths) {
            collect(disk, path, true, files, problems);
        }
        for (Path file : files) {
            try {
                lint.add(file.toString(), disk.readText(file).orElse(""));
            } catch (ProblemException e) {
                problems.addAll(e.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        return files.size();
    }

    private static void collect(Disk disk, Path path, boolean isGiven, List<Path> files, List<Problem> problems) {
        Optional<FileStatus.Kind> kind = disk.status(path).map(FileStatus::kind);
        if (kind.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.NOT_FOUND,
                    path.toString(),
                    "does not exist",
                    "a file or a directory of manifests",
                    "give the path of one: ouro lint FILE|DIR"));
        } else if (kind.get() == FileStatus.Kind.DIRECTORY) {
            disk.list(path).forEach(name -> collect(disk, path.resolve(name), false, files, problems));
        } else if (isGiven || path.toString().matches(".*\\.(yaml|yml|json)")) {
            files.add(path);
        }
    }

    private void summarize(int findings, int pods, int files, KubernetesVersion kubelet) {
        PrintWriter err = spec.commandLine().getErr();
        err.printf(
                "%d %s in %d %s of %d %s, for a kubelet of %s.%n",
                findings,
                findings == 1 ? "finding" : "findings",
                pods,
                pods == 1 ? "pod" : "pods",
                files,
                files == 1 ? "file" : "files",
                kubelet.minorName());
        if (pods == 0 && !all) {
            err.println(
                    staticPods
                            ? "There is no Pod in them."
                            : "No pod there asks for a checkpoint (annotation ouroboros.dev/checkpoint: \"true\"); --all judges every pod.");
        }
        err.flush();
    }

    private static String text(List<LintFinding> findings, KubernetesVersion kubelet) {
        StringBuilder text = new StringBuilder();
        for (LintFinding found : findings) {
            text.append(found.file()).append(':').append(found.line()).append(": ");
            text.append(level(found.finding().rule()))
                    .append(' ')
                    .append(found.finding().rule().id())
                    .append(": ");
            text.append(found.object()).append(' ').append(found.field()).append(' ');
            text.append(found.finding().what(kubelet))
                    .append("; ")
                    .append(found.finding().rule().next())
                    .append('\n');
        }
        return text.toString();
    }

    private static ArrayNode data(List<LintFinding> findings, KubernetesVersion kubelet) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (LintFinding found : findings) {
            all.addObject()
                    .put("file", found.file())
                    .put("line", found.line())
                    .put("object", found.object())
                    .put("field", found.field())
                    .put("rule", found.finding().rule().id())
                    .put("level", level(found.finding().rule()))
                    .put("what", found.finding().what(kubelet))
                    .put("next", found.finding().rule().next());
        }
        return all;
    }

    private static String table(StaticPodRules rules) {
        StringBuilder text = new StringBuilder();
        for (StaticPodRule rule : rules.all()) {
            text.append(rule.id()).append(" (").append(level(rule)).append(")\n");
            rule.fields()
                    .forEach(field -> text.append("  field   ").append(field).append('\n'));
            text.append("  what    ").append(rule.what()).append('\n');
            rule.since()
                    .ifPresent(first ->
                            text.append("  since   ").append(first.minorName()).append('\n'));
            rule.rejectedSince()
                    .ifPresent(first -> text.append("  kubelet refuses it from ")
                            .append(first.minorName())
                            .append(" on\n"));
            text.append("  next    ").append(rule.next()).append('\n');
            text.append("  source  ").append(rule.source()).append("\n\n");
        }
        return text.toString();
    }

    private static ArrayNode data(StaticPodRules rules) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (StaticPodRule rule : rules.all()) {
            ObjectNode one = all.addObject().put("id", rule.id()).put("level", level(rule));
            ArrayNode subjects = one.putArray("of");
            rule.subjects().stream().map(LintCommand::word).sorted().forEach(subjects::add);
            ArrayNode fields = one.putArray("fields");
            rule.fields().forEach(fields::add);
            rule.since().ifPresent(first -> one.put("since", first.minorName()));
            rule.rejectedSince().ifPresent(first -> one.put("rejectedSince", first.minorName()));
            one.put("what", rule.what()).put("next", rule.next()).put("source", rule.source());
        }
        return all;
    }

    private static String level(StaticPodRule rule) {
        return word(rule.level());
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
