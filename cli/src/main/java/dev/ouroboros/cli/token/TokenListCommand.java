package dev.ouroboros.cli.token;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.BootstrapTokens;
import dev.ouroboros.cluster.BootstrapTokens.Token;
import dev.ouroboros.cluster.ClusterClient;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ouro token list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Lists the tokens with which machines can join, without their secrets.",
        footerHeading = "%nExample:%n",
        footer = "  ouro token list")
final class TokenListCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        List<Token> tokens;
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            tokens = new BootstrapTokens(client)
                    .list().stream().filter(Token::isForNodes).toList();
        }
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        TextTable table = new TextTable("ID", "EXPIRES", "DESCRIPTION");
        for (Token token : tokens) {
            String expires = token.expires().map(Instant::toString).orElse("");
            data.withArray("/tokens")
                    .addObject()
                    .put("id", token.id())
                    .put("expires", expires)
                    .put("description", token.description());
            table.row(token.id(), expires.isEmpty() ? "never" : expires, token.description());
        }
        output.print(spec, data, () -> tokens.isEmpty() ? "there are none\n" : table.toString());
        return ExitCode.DONE;
    }
}
