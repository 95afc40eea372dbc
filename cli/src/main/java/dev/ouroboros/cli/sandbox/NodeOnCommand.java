package dev.ouroboros.cli.sandbox;

import dev.ouroboros.sandbox.Reboot;
import picocli.CommandLine.Command;

/** {@code ouro node on}. */
@Command(
        name = "on",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Boots a node without power from its disk; one that runs goes on. Returns when its kubelet has been started.",
        footer = {"", "Example:", "  ouro node on ouroboros-2"})
final class NodeOnCommand extends PowerCommand {
    @Override
    Reboot.Outcome act(Reboot reboot) {
        return reboot.boot();
    }
}
