package dev.ouroboros.cli.upgrade;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.NodeOption;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.console.TerminalColours;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.upgrade.apply.ClusterApplyApi;
import dev.ouroboros.upgrade.apply.NamedManifests;
import dev.ouroboros.upgrade.diff.Difference;
import dev.ouroboros.upgrade.diff.Differences;
import dev.ouroboros.upgrade.diff.NodeFacts;
import dev.ouroboros.upgrade.diff.Side;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro diff}. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Where the asset directory's manifests, the objects in the API, the checkpoints on the disk and the running processes do not say"
                    + " the same, side by side.",
            "Checkpoints and processes are those of one node, where they can be seen: in a sandbox, or on the node. Changes nothing."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no difference", "1:it failed", "2:bad usage", "3:differences"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro diff --asset-dir ./assets",
            "  ouro diff kube-apiserver --name ouroboros -o json",
            "  ouro diff --name ouroboros --node ouroboros-2"
        })
public final class DiffCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "COMPONENT",
            description = "Only the objects of this name, as in kube-apiserver.")
    private Optional<String> component = Optional.empty();

    @Mixin
    private UpgradePlace place = new UpgradePlace();

    @Mixin
    private NodeOption node = new NodeOption();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        Disk disk = ThisMachine.disk();
        NamedManifests intent = NamedManifests.read(disk, place.assets());
        try (ClusterClient client = ClusterClient.connect(place.endpoint())) {
            Differences.Report report =
                    new Differences(intent, new ClusterApplyApi(client), node(disk)).compare(component);
            output.print(spec, data(report), () -> text(report));
            SpokenLines lines = new SpokenLines(spec);
            report.unknown().forEach(why -> lines.say("unknown: " + why));
            lines.say(report.objects() + " objects compared, "
                    + report.differences().size() + " differences");
            return report.differences().isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
        }
    }

    private Evidence<NodeFacts> node(Disk disk) {
        return place.node(node).map(known -> new NodeFacts(disk, known.root()));
    }

    /** What is as intended is green, what is not is red. */
    private static String text(Differences.Report report) {
        boolean isColoured = TerminalColours.isColoured();
        StringBuilder text = new StringBuilder();
        String object = "";
        for (Difference difference : report.differences()) {
            if (!difference.object().equals(object)) {
                object = difference.object();
                text.append(text.isEmpty() ? "" : "\n").append(object).append('\n');
            }
            text.append("  ")
                    .append(difference.path().isEmpty() ? "(all of it)" : difference.path())
                    .append('\n');
            Optional<String> intended = difference.values().getOrDefault(Side.INTENT, Optional.empty());
            for (Side side : Side.values()) {
                Optional<String> value = difference.values().get(side);
                if (value != null) {
                    int colour = side == Side.INTENT || value.equals(intended) ? 32 : 31;
                    String shown = value.orElse("-");
                    text.append(String.format(
                                    Locale.ROOT, "    %-11s", side.name().toLowerCase(Locale.ROOT)))
                            .append(isColoured ? "\u001b[" + colour + "m" + shown + "\u001b[0m" : shown)
                            .append('\n');
                }
            }
        }
        return text.toString();
    }

    private static ObjectNode data(Differences.Report report) {
        ObjectNode data = JsonNodeFactory.instance.objectNode().put("objects", report.objects());
        ArrayNode differences = data.putArray("differences");
        for (Difference difference : report.differences()) {
            ObjectNode node =
                    differences.addObject().put("object", difference.object()).put("path", difference.path());
            for (Side side : Side.values()) {
                Optional<String> value = difference.values().get(side);
                if (value != null) {
                    node.put(side.name().toLowerCase(Locale.ROOT), value.orElse(null));
                }
            }
        }
        ArrayNode unknown = data.putArray("unknown");
        List.copyOf(report.unknown()).forEach(unknown::add);
        return data;
    }
}
