package dev.ouroboros.cli.program;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The whole program, for commands that have to know the others. The main class implements it. */
public interface WholeProgram {
    String NAME = "ouro";

    /** The command line that understands these arguments; without any, the one of all commands. */
    CommandLine commandLineOf(String... arguments);

    /** Whether there is a command of this name. */
    boolean hasCommand(String name);

    /** The program that this is a command of. */
    static WholeProgram of(CommandSpec command) {
        if (command.root().userObject() instanceof WholeProgram program) {
            return program;
        }
        throw new IllegalStateException("no command of a program: " + command.qualifiedName());
    }
}
