package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro net split}. */
@Command(
        name = "split",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Nodes of one group hear nothing of nodes of another one, until 'ouro net heal' or all nodes are off.",
            "Nodes in no group are heard by all. Another split takes the place of one that is there."
        },
        footer = {
            "",
            "Examples:",
            "  ouro net split ouroboros,ouroboros-2 ouroboros-3",
            "  ouro net split ouroboros ouroboros-2   # each hears ouroboros-3 still"
        })
final class NetSplitCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(
            paramLabel = "GROUP",
            arity = "2..*",
            description = "Names of nodes, as 'ouro nodes' prints them, with commas in between.")
    private List<String> groups = List.of();

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    @Override
    public Integer call() {
        List<List<String>> names = groups.stream()
                .map(group -> Arrays.stream(group.split(",", -1))
                        .filter(name -> !name.isEmpty())
                        .toList())
                .toList();
        options.existing().split(names);
        new SpokenLines(spec).say("sandbox " + options.name() + " is split: " + String.join(" | ", groups));
        output.print(spec, () -> data(names));
        return ExitCode.DONE;
    }

    private ObjectNode data(List<List<String>> names) {
        ObjectNode data = JsonNodeFactory.instance
                .objectNode()
                .put("sandbox", options.name().value())
                .put("outcome", "split");
        names.forEach(group -> group.forEach(data.withArray("groups").addArray()::add));
        return data;
    }
}
