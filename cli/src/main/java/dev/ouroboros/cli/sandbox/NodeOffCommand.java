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

/** {@code ouro node off}. */
@Command(
        name = "off",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Cuts the power of a node, which stays off: 'ouro node on', 'ouro reboot' or 'ouro up' boots it.",
        footer = {"", "Example:", "  ouro node off ouroboros-2"})
final class NodeOffCommand implements Callable<Integer> {
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
        PowerView.print(spec, output, found, PowerView.reboot(found).cutPower());
        return ExitCode.DONE;
    }
}
