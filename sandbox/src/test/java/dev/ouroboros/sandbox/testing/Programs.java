package dev.ouroboros.sandbox.testing;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.util.function.Consumer;

/** Every program of a machine: what a command prints, or that it fails. */
public interface Programs extends Processes {
    String print(Command command);

    /** A program that ends with exit code 1. */
    final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        public Failure(String said) {
            super(said);
        }
    }

    @Override
    default Result run(Command command) {
        try {
            return new Result(command.describe(), 0, print(command), "");
        } catch (Failure e) {
            return new Result(command.describe(), 1, "", String.valueOf(e.getMessage()));
        }
    }

    @Override
    default Result stream(Command command, Consumer<String> line) {
        Result result = run(command);
        (result.output() + result.error()).lines().forEach(line);
        return new Result(result.command(), result.exitCode(), "", "");
    }

    @Override
    default int attach(Command command) {
        throw new AssertionError("not attached: " + command.describe());
    }
}
