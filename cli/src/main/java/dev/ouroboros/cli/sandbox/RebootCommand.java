package dev.ouroboros.cli.sandbox;

import dev.ouroboros.sandbox.Reboot;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ouro reboot}. */
@Command(
        name = "reboot",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Cuts the power of a node, or of all at once, and boots it again from its disk.",
            "All of its processes are killed at once; lost are its memory, what is not synced to its disk, and its network's state.",
            "It boots as a machine does: containerd and the kubelet are started, and nothing else is done for it."
        },
        footer = {
            "",
            "Example:",
            "  ouro reboot ouroboros -o json",
            "  ouro reboot --all",
            "",
            "A node without power is booted. The command returns when the kubelet has been started."
        })
public final class RebootCommand extends PowerCommand {
    @Override
    List<Reboot.Outcome> act(Reboot reboot) {
        return reboot.run();
    }
}
