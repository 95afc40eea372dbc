package dev.ouroboros.cli.token;

import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.BootstrapTokens;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro token delete}. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Deletes a token. The nodes that joined with it stay: they have certificates of their own.",
        footerHeading = "%nExample:%n",
        footer = "  ouro token delete abcdef")
final class TokenDeleteCommand implements Callable<Integer> {
    /** A whole token is taken too, as that is what people have. */
    private static final Pattern ID = Pattern.compile("[a-z0-9]{6}(\\.[a-z0-9]{16})?");

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Parameters(paramLabel = "ID", description = "Its first six characters.")
    private String id = "";

    @Override
    public Integer call() {
        if (!ID.matcher(id).matches()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "ID",
                    "is no token's",
                    "six letters or digits",
                    "ouro token list has those that there are");
        }
        String ofToken = id.substring(0, 6);
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            boolean deleted = new BootstrapTokens(client).delete(ofToken);
            new SpokenLines(spec)
                    .say(
                            deleted
                                    ? "token " + ofToken + " is deleted"
                                    : "there is no token " + ofToken + "; those that there are: ouro token list");
            return deleted ? ExitCode.DONE : ExitCode.FAILED;
        }
    }
}
