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

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        SandboxOptions.Found found = options.node(node);
        PowerView.print(spec, output, found, PowerView.reboot(found).run());
        return ExitCode.DONE;
    }
}
