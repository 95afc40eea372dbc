package dev.ouroboros.cli.completion;

import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.WholeProgram;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro completion}. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Prints a script that lets a shell complete ouro's commands and options.",
        footer = {
            "",
            "Example:",
            "  source <(ouro completion bash)      # in ~/.bashrc",
            "  source <(ouro completion zsh)       # in ~/.zshrc, after compinit",
            "  ouro completion fish > ~/.config/fish/completions/ouro.fish"
        })
public final class CompletionCommand implements Callable<Integer> {
    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish")
    private Shell shell = Shell.BASH;

    @Override
    public Integer call() {
        CommandLine whole = WholeProgram.of(spec).commandLineOf();
        PrintWriter out = spec.commandLine().getOut();
        out.print(
                switch (shell) {
                    // The script turns bash's way of completion on in a zsh.
                    case BASH, ZSH -> AutoComplete.bash(WholeProgram.NAME, whole);
                    case FISH -> FishCompletion.of(whole.getCommandSpec());
                });
        out.flush();
        return ExitCode.DONE;
    }
}
