package dev.ouroboros.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.ouroboros.core.doctor.Finding;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.doctor.HostDoctor;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Looks at this machine before it becomes a control-plane node, or when one is ill. Changes nothing: the front is tried"
                    + " in a network namespace of its own, the disk with a file that is removed.",
            "Exit code 3 when there is a warning or a problem."
        },
        footer = {"", "Example:", "  ouro doctor", "  ouro exec NODE -- ouro doctor -o json"})
final class DoctorCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--etcd-data-dir",
            paramLabel = "DIR",
            defaultValue = "/var/lib/etcd",
            description = "Where etcd keeps its data, as its --data-dir (default: ${DEFAULT-VALUE}).")
    private Path storage = Path.of("/var/lib/etcd");

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        List<Finding> findings = new HostDoctor(new LocalDisk(), new LocalProcesses(), storage).examine();
        PrintWriter out = spec.commandLine().getOut();
        out.print(output.format(data(findings), () -> text(findings)));
        out.flush();
        return findings.stream().anyMatch(Finding::isWrong) ? Ouro.EXIT_FINDINGS : Ouro.EXIT_DONE;
    }

    private static String text(List<Finding> findings) {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append("%-8s %s: %s%n".formatted(name(finding), finding.check(), finding.evidence()));
            if (finding.isWrong()) {
                text.append("         so: %s%n         do: %s%n".formatted(finding.consequence(), finding.remedy()));
            }
        }
        return text.toString();
    }

    private static ArrayNode data(List<Finding> findings) {
        ArrayNode all = new ObjectMapper().createArrayNode();
        for (Finding finding : findings) {
            all.addObject()
                    .put("check", finding.check())
                    .put("severity", name(finding))
                    .put("evidence", finding.evidence())
                    .put("consequence", finding.consequence())
                    .put("remedy", finding.remedy());
        }
        return all;
    }

    private static String name(Finding finding) {
        return finding.severity().name().toLowerCase(Locale.ROOT);
    }
}
