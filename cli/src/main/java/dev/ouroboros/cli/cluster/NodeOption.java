package dev.ouroboros.cli.cluster;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.status.source.NodePlace;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which node of a sandbox is looked at, for commands that show what one node alone knows. */
public final class NodeOption {
    @Option(
            names = "--node",
            paramLabel = "NODE",
            description = "Which node of a sandbox to ask, as 'ouro nodes' prints it (default: the first one).")
    private Optional<String> node = Optional.empty();

    /** The node that was named, or the one that is looked at without a name. */
    public Evidence<NodePlace> of(SandboxOptions sandbox) {
        return node.map(name -> StatusTarget.node(sandbox.node(name))).orElseGet(() -> StatusTarget.node(sandbox));
    }
}
