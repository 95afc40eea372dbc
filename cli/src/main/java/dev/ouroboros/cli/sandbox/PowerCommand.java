package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.sandbox.Reboot;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxNode;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes nodes' power away, gives it back, or both, and says when they lost it and when their kubelets were started. */
abstract class PowerCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @ArgGroup(multiplicity = "1")
    private Which which = new Which();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    /** One node, or every one. */
    static final class Which {
        @Parameters(index = "0", paramLabel = "NODE", description = "Name of the node, as 'ouro nodes' prints it.")
        private Optional<String> node = Optional.empty();

        @Option(
                names = "--all",
                description = "In the place of NODE: every node of the sandbox, together; data are a list then.")
        private boolean all;
    }

    abstract List<Reboot.Outcome> act(Reboot reboot);

    @Override
    public Integer call() {
        Optional<SandboxOptions.Found> found = which.node.map(options::node);
        Sandbox sandbox = found.map(SandboxOptions.Found::sandbox).orElseGet(options::existing);
        List<SandboxNode> nodes = found.map(one -> List.of(one.node())).orElseGet(sandbox::nodes);
        List<Reboot.Outcome> outcomes = act(new Reboot(sandbox, nodes, ThisMachine.disk(), InstantSource.system()));
        output.print(spec, data(sandbox, outcomes), () -> table(sandbox, outcomes));
        return ExitCode.DONE;
    }

    private static String table(Sandbox sandbox, List<Reboot.Outcome> outcomes) {
        TextTable table = new TextTable("NODE", "SANDBOX", "POWER CUT", "KUBELET STARTED");
        outcomes.forEach(outcome -> table.row(
                outcome.node(),
                sandbox.name().value(),
                outcome.powerCutAt().map(Instant::toString).orElse("-"),
                outcome.kubeletStartedAt().map(Instant::toString).orElse("-")));
        return table.toString();
    }

    /** A list where all were asked for. */
    private JsonNode data(Sandbox sandbox, List<Reboot.Outcome> outcomes) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        outcomes.forEach(outcome -> put(list.addObject(), sandbox, outcome));
        return which.all ? list : list.path(0);
    }

    private static void put(ObjectNode data, Sandbox sandbox, Reboot.Outcome outcome) {
        data.put("node", outcome.node()).put("sandbox", sandbox.name().value());
        outcome.powerCutAt().ifPresent(moment -> data.put("powerCutAt", moment.toString()));
        outcome.kubeletStartedAt().ifPresent(moment -> data.put("kubeletStartedAt", moment.toString()));
    }
}
