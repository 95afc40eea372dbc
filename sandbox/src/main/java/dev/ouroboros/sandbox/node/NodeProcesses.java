package dev.ouroboros.sandbox.node;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.util.function.Consumer;

/** Runs programs in a node as others run them on their machine. */
public record NodeProcesses(RunningNode node, Processes processes) implements Processes {
    @Override
    public Result run(Command command) {
        return processes.run(node.enter(command));
    }

    @Override
    public Result stream(Command command, Consumer<String> line) {
        return processes.stream(node.enter(command), line);
    }

    @Override
    public int attach(Command command) {
        return processes.attach(node.enter(command));
    }
}
