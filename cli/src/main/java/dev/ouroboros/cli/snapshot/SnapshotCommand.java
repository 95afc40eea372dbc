package dev.ouroboros.cli.snapshot;

import dev.ouroboros.cli.console.OutputFormat;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.YamlText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.LabelRequirement;
import dev.ouroboros.snapshot.Selection;
import dev.ouroboros.snapshot.Snapshot;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro snapshot}. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        description = {
            "Takes snapshots of etcd, and reads them.",
            "To read snapshots and database files no etcd is needed, and the file is never written."
        },
        subcommands = {
            SnapshotSaveCommand.class,
            SnapshotListCommand.class,
            SnapshotDrillCommand.class,
            SnapshotCommand.Inspect.class,
            SnapshotCommand.Extract.class
        },
        footerHeading = "%nExample:%n",
        footer = "  ouro snapshot inspect backup.db")
public final class SnapshotCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    @Command(
            name = "inspect",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Shows what is inside: etcd's state, objects by resource, the control plane, and what is encrypted by"
                        + " which key.",
                "Ends with 1 when something is damaged, after it has shown what can be read."
            },
            footerHeading = "%nExample:%n",
            footer = {
                "  ouro snapshot inspect backup.db",
                "  ouro snapshot inspect backup.db --encryption-config encryption.yaml -o json",
                "  ouro snapshot inspect broken.db --salvage"
            })
    static final class Inspect implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private final SnapshotOptions options = new SnapshotOptions();

        @Mixin
        private final OutputOptions output = new OutputOptions();

        @Override
        public Integer call() {
            Inspection inspection;
            try (Snapshot snapshot = options.open()) {
                inspection = snapshot.inspect();
            }
            SnapshotView view = new SnapshotView(inspection);
            output.print(spec, view.data(), view::table);
            // A missing key is no defect of the file.
            List<Problem> problems = new ArrayList<>(inspection.damage());
            inspection.unreadable().stream()
                    .filter(problem -> problem.code() != ErrorCode.KEY_MISSING)
                    .forEach(problems::add);
            if (!problems.isEmpty()) {
                throw new ProblemException(problems);
            }
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "extract",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Prints objects as they are stored, in the order of their last change; without options, all of them.",
                "What is damaged or encrypted with a missing key is reported at the end, and the exit code is not 0."
            },
            footerHeading = "%nExample:%n",
            footer = {
                "  ouro snapshot extract backup.db --resource ds,deploy --namespace kube-system",
                "  ouro snapshot extract backup.db --resource secrets --object-name admin --encryption-config"
                        + " encryption.yaml",
                "  ouro snapshot extract backup.db --resource configmaps -l app=shop --revision 4711",
                "  ouro snapshot extract broken.db --salvage >objects.yaml"
            })
    static final class Extract implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call().
        private CommandSpec spec;

        @Mixin
        private final SnapshotOptions options = new SnapshotOptions();

        @Option(
                names = {"-r", "--resource"},
                split = ",",
                paramLabel = "RESOURCE",
                description = "As kubectl names them: pods, po, ConfigMap, deployments.apps; custom ones by their"
                        + " definitions in the snapshot.")
        private List<String> resources = List.of();

        @Option(
                names = {"-n", "--namespace"},
                paramLabel = "NAMESPACE",
                description = "Only of this namespace.")
        private Optional<String> namespace = Optional.empty();

        @Option(names = "--object-name", split = ",", paramLabel = "NAME", description = "Only of these names.")
        private List<String> names = List.of();

        @Option(
                names = {"-l", "--selector"},
                paramLabel = "SELECTOR",
                description = "Only with these labels: a=b,c!=d,e,!f.")
        private Optional<String> selector = Optional.empty();

        @Option(
                names = "--revision",
                paramLabel = "REVISION",
                description = "As it was then, if etcd was not compacted since (default: the newest).")
        private @Nullable Long revision;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FORMAT",
                defaultValue = "YAML",
                description = "yaml, a document an object, or json, one List (default: yaml).")
        private OutputFormat output = OutputFormat.YAML;

        @Override
        public Integer call() {
            if (output == OutputFormat.TABLE) {
                throw ProblemException.of(
                        ErrorCode.BAD_USAGE, "--output", "is table", "yaml or json", "add -o yaml or -o json");
            }
            PrintWriter out = spec.commandLine().getOut();
            Snapshot.Extracted extracted;
            try (Snapshot snapshot = options.open()) {
                ObjectPrinter printer = new ObjectPrinter(out, output == OutputFormat.JSON);
                extracted = snapshot.extract(selection(), (key, object) -> printer.print(object));
                printer.end();
            }
            report(extracted);
            return ExitCode.DONE;
        }

        private Selection selection() {
            return new Selection(
                    new HashSet<>(resources),
                    namespace,
                    new HashSet<>(names),
                    selector.map(LabelRequirement::parse).orElse(List.of()),
                    revision == null ? OptionalLong.empty() : OptionalLong.of(revision));
        }

        private void report(Snapshot.Extracted extracted) {
            SpokenLines lines = new SpokenLines(spec);
            lines.say(extracted.objects() == 1 ? "1 object" : extracted.objects() + " objects");
            extracted
                    .unknownFields()
                    .forEach(field -> lines.say(
                            "warning: " + field + " was left out: it is of a newer Kubernetes than this ouro knows"));
            if (!extracted.problems().isEmpty()) {
                throw new ProblemException(extracted.problems());
            }
        }
    }

    /** Prints each object when it comes: there may be more than fit into memory. */
    private static final class ObjectPrinter {
        private final PrintWriter out;
        private final boolean json;
        private boolean first = true;

        ObjectPrinter(PrintWriter out, boolean json) {
            this.out = out;
            this.json = json;
        }

        void print(Json object) {
            if (json) {
                out.print(first ? "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n" : ",\n");
                out.print(new String(JsonText.write(object), StandardCharsets.UTF_8));
            } else {
                out.print("---\n");
                out.print(YamlText.write(object));
            }
            first = false;
        }

        void end() {
            if (json) {
                out.print(first ? "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}\n" : "\n]}\n");
            }
            out.flush();
        }
    }
}
