package dev.ouroboros.cli.sandbox;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.OutcomeOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.sandbox.up.NodeRemoval;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro node remove}. */
@Command(
        name = "remove",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Removes a node with its disk, and its Node object from the cluster.",
            "One of the control plane leaves that first: nobody is led to its API server when its power goes. Its other",
            "pods are not asked: 'kubectl drain' moves them elsewhere before."
        },
        footer = {"", "Example:", "  kubectl drain ouroboros-2 --ignore-daemonsets && ouro node remove ouroboros-2"})
final class NodeRemoveCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "Name of the node, as 'ouro nodes' prints it.")
    private String node = "";

    @Mixin
    private final OutcomeOptions output = new OutcomeOptions();

    @Override
    public Integer call() {
        SandboxOptions.Found found = options.node(node);
        new NodeRemoval(found.sandbox(), InstantSource.system()).run(found.node(), new SpokenLines(spec)::say);
        output.print(
                spec,
                () -> JsonNodeFactory.instance
                        .objectNode()
                        .put("sandbox", found.sandbox().name().value())
                        .put("node", node)
                        .put("outcome", "removed"));
        return ExitCode.DONE;
    }
}
