package dev.ouroboros.cli.sandbox;

import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro node on}. */
@Command(
        name = "on",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Boots a node without power from its disk; one that runs goes on. Returns when its kubelet has been started.",
        footer = {"", "Example:", "  ouro node on ouroboros-2"})
final class NodeOnCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "Name of the node, as 'ouro nodes' prints it.")
    private String node = "";

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        SandboxOptions.Found found = options.node(node);
        PowerView.print(spec, output, found, PowerView.reboot(found).boot());
        return ExitCode.DONE;
    }
}
