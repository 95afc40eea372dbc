package dev.ouroboros.cli.token;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.BootstrapTokens;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.JoinDiscovery;
import dev.ouroboros.endpoint.AuthorityHash;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.host.decide.NodePool;
import dev.ouroboros.model.component.JoiningObjects;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.BootstrapToken;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro token create}. */
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Makes a token and prints the command with which a machine joins. Until it expires anybody who has it can make a"
                    + " machine a node; it reads nothing of the cluster but what a machine that joins has to know."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro token create", "  ouro token create --ttl 1h --pool gpu --description 'the new rack'"})
final class TokenCreateCommand implements Callable<Integer> {
    private static final Duration SHORTEST = Duration.ofMinutes(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(
            names = "--ttl",
            paramLabel = "DURATION",
            defaultValue = "24h",
            converter = DurationConverter.class,
            description = "After that it is deleted (default: ${DEFAULT-VALUE}).")
    private Duration life = Duration.ofHours(24);

    @Option(names = "--description", paramLabel = "TEXT", description = "For who lists tokens.")
    private String description = "Made by 'ouro token create'.";

    @Option(
            names = "--pool",
            paramLabel = "NAME",
            defaultValue = JoiningObjects.DEFAULT_POOL,
            description = "For the printed command: the pool that the machine is to be of (default: ${DEFAULT-VALUE}).")
    private String pool = JoiningObjects.DEFAULT_POOL;

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        if (life.compareTo(SHORTEST) < 0) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--ttl",
                    "is too short to join within",
                    "a minute at least",
                    "say another, as in --ttl 1h");
        }
        Endpoint endpoint = target.requiredEndpoint();
        Optional<AuthorityHash> hash = JoinDiscovery.shownAuthority(endpoint);
        BootstrapToken token = BootstrapToken.random(new SecureRandom());
        Instant end = InstantSource.system().instant().plus(life).truncatedTo(ChronoUnit.SECONDS);
        try (ClusterClient client = ClusterClient.connect(endpoint)) {
            List<Problem> problems = new ArrayList<>();
            NodePool.of(pool, JoinDiscovery.settings(client), problems);
            if (!problems.isEmpty()) {
                throw new ProblemException(problems);
            }
            new BootstrapTokens(client).create(token.id(), token.secret(), end, description);
        }
        String command = "ouro host join " + endpoint.server() + " --token " + token.value()
                + hash.map(known -> " --ca-hash " + known).orElse(" --ca-file ca.crt")
                + (pool.equals(JoiningObjects.DEFAULT_POOL) ? "" : " --pool " + pool);
        ObjectNode data = JsonNodeFactory.instance
                .objectNode()
                .put("token", token.value())
                .put("server", endpoint.server().toString())
                .put("expires", end.toString())
                .put("command", command);
        hash.ifPresent(known -> data.put("caHash", known.toString()));
        output.print(spec, data, () -> command + "\n");
        if (hash.isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "this API server does not send its authority: copy tls/ca.crt of the asset directory to the machine");
        }
        return ExitCode.DONE;
    }
}
