package dev.ouroboros.cli.token;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro token}: with what machines join. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        description = "Makes, lists and deletes the tokens with which machines join a cluster.",
        subcommands = {TokenCreateCommand.class, TokenListCommand.class, TokenDeleteCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {"  ouro token create", "  ouro token list", "  ouro token delete abcdef"})
public final class TokenCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run().
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
