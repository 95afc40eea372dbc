package dev.ouroboros.cli.sandbox;

import dev.ouroboros.sandbox.Reboot;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code ouro node off}. */
@Command(
        name = "off",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Cuts the power of a node, or of all at once, which stay off: 'ouro node on', 'ouro reboot' or 'ouro up' boots them.",
        footer = {"", "Example:", "  ouro node off ouroboros-2", "  ouro node off --all"})
final class NodeOffCommand extends PowerCommand {
    @Override
    List<Reboot.Outcome> act(Reboot reboot) {
        return reboot.cutPower();
    }
}
