package dev.ouroboros.cli.sandbox;

import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.program.InNode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.sandbox.node.RunningNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro exec}. */
@Command(
        name = "exec",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        customSynopsis = "ouro exec [--name NAME] NODE -- COMMAND...",
        description = {
            "Runs a command in a node: its processes, files and network. Input, output and the exit code are the command's.",
            "On its PATH are kubectl, etcdctl and ctr, set up for the node's cluster; 'ouro' as the command is this ouro."
        },
        footer = {"", "Examples:", "  ouro exec ouroboros -- kubectl get pods -A", "  ouro exec ouroboros -- bash"})
public final class ExecCommand implements Callable<Integer> {
    /** A shell may stay open for as long as its user likes. */
    private static final Duration NO_LIMIT = Duration.ofDays(3650);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Parameters(index = "0", paramLabel = "NODE", description = "Name of the node, as 'ouro nodes' prints it.")
    private String node = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "COMMAND", description = "The command and its arguments.")
    private List<String> command = List.of();

    @Override
    public Integer call() {
        SandboxOptions.Found found = options.node(node);
        RunningNode running = found.node()
                .requireRunning("start it: ouro up --name " + found.sandbox().name());
        return ThisMachine.processes()
                .attach(running.enter(
                        dev.ouroboros.node.process.Command.of(resolved()).withTimeout(NO_LIMIT)));
    }

    /** The command with the paths of java and classes as the node sees them: the checkout may lie where the node has other files. */
    private List<String> resolved() {
        if (!command.getFirst().equals("ouro")) {
            return command;
        }
        List<String> resolved = new ArrayList<>(InNode.commandLine(spec));
        resolved.addAll(command.subList(1, command.size()));
        return resolved;
    }
}
