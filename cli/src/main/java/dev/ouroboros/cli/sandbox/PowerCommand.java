package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.sandbox.Reboot;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes a node's power away, gives it back, or both, and says when it lost it and when its kubelet was started. */
abstract class PowerCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "Name of the node, as 'ouro nodes' prints it.")
    private String node = "";

    @Mixin
    private final OutputOptions output = new OutputOptions();

    abstract Reboot.Outcome act(Reboot reboot);

    @Override
    public Integer call() {
        SandboxOptions.Found found = options.node(node);
        Reboot.Outcome outcome =
                act(new Reboot(found.sandbox(), found.node(), ThisMachine.disk(), InstantSource.system()));
        output.print(spec, data(found, outcome), () -> table(found, outcome));
        return ExitCode.DONE;
    }

    private static String table(SandboxOptions.Found found, Reboot.Outcome outcome) {
        TextTable table = new TextTable("NODE", "SANDBOX", "POWER CUT", "KUBELET STARTED");
        table.row(
                found.node().name(),
                found.sandbox().name().value(),
                outcome.powerCutAt().map(Instant::toString).orElse("-"),
                outcome.kubeletStartedAt().map(Instant::toString).orElse("-"));
        return table.toString();
    }

    private static ObjectNode data(SandboxOptions.Found found, Reboot.Outcome outcome) {
        ObjectNode data = JsonNodeFactory.instance
                .objectNode()
                .put("node", found.node().name())
                .put("sandbox", found.sandbox().name().value());
        outcome.powerCutAt().ifPresent(moment -> data.put("powerCutAt", moment.toString()));
        outcome.kubeletStartedAt().ifPresent(moment -> data.put("kubeletStartedAt", moment.toString()));
        return data;
    }
}
