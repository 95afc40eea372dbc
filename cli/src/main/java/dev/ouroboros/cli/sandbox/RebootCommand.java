package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.sandbox.Reboot;
import dev.ouroboros.sandbox.Sandbox;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro reboot}. */
@Command(
        name = "reboot",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Cuts the power of a node, and boots it again from its disk.",
            "All of its processes are killed at once; lost are its memory, what is not synced to its disk, and its network's state.",
            "It boots as a machine does: containerd and the kubelet are started, and nothing else is done for it."
        },
        footer = {
            "",
            "Example:",
            "  ouro reboot ouroboros -o json",
            "",
            "A node without power is booted. The command returns when the kubelet has been started."
        })
public final class RebootCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "Name of the node, as 'ouro nodes' prints it.")
    private String node = "";

    @Option(names = "--no-boot", description = "Leave the node without power; 'ouro reboot' or 'ouro up' boots it.")
    private boolean noBoot;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        Sandbox sandbox = options.ofNode(node);
        Reboot reboot = new Reboot(sandbox, ThisMachine.disk(), InstantSource.system());
        Reboot.Outcome outcome = noBoot ? reboot.cutPower() : reboot.run();
        output.print(spec, data(sandbox, outcome), () -> table(sandbox, outcome));
        return ExitCode.DONE;
    }

    private static String table(Sandbox sandbox, Reboot.Outcome outcome) {
        TextTable table = new TextTable("NODE", "SANDBOX", "POWER CUT", "KUBELET STARTED");
        table.row(
                sandbox.name().node(),
                sandbox.name().value(),
                outcome.powerCutAt().map(Instant::toString).orElse("-"),
                outcome.kubeletStartedAt().map(Instant::toString).orElse("-"));
        return table.toString();
    }

    private static ObjectNode data(Sandbox sandbox, Reboot.Outcome outcome) {
        ObjectNode data = JsonNodeFactory.instance
                .objectNode()
                .put("node", sandbox.name().node())
                .put("sandbox", sandbox.name().value());
        outcome.powerCutAt().ifPresent(moment -> data.put("powerCutAt", moment.toString()));
        outcome.kubeletStartedAt().ifPresent(moment -> data.put("kubeletStartedAt", moment.toString()));
        return data;
    }
}
