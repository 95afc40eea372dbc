package dev.ouroboros.cli.sandbox;

import dev.ouroboros.sandbox.Reboot;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ouro node on}. */
@Command(
        name = "on",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Boots a node without power from its disk, or all; one that runs goes on. Returns when their kubelets have been started.",
        footer = {"", "Example:", "  ouro node on ouroboros-2", "  ouro node on --all"})
final class NodeOnCommand extends PowerCommand {
    @Override
    List<Reboot.Outcome> act(Reboot reboot) {
        return reboot.boot();
    }
}
