package dev.ouroboros.cli.sandbox;

import dev.ouroboros.sandbox.Reboot;
import picocli.CommandLine.Command;

/** {@code ouro node off}. */
@Command(
        name = "off",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Cuts the power of a node, which stays off: 'ouro node on', 'ouro reboot' or 'ouro up' boots it.",
        footer = {"", "Example:", "  ouro node off ouroboros-2"})
final class NodeOffCommand extends PowerCommand {
    @Override
    Reboot.Outcome act(Reboot reboot) {
        return reboot.cutPower();
    }
}
