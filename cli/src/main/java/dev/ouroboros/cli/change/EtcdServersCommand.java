package dev.ouroboros.cli.change;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.change.EtcdServersChange;
import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.etcd.EtcdClusterSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro change etcd-servers}. */
@Command(
        name = "etcd-servers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Has the API servers look for etcd at all of its members that vote, after one was added ('ouro etcd add'), or before one leaves ('ouro etcd leave')."
                    + " The keeper of each node exchanges its API server; no request fails.",
            "May be killed at any moment: run again, it sees from the cluster what is left to do."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every API server knows the members",
            "1:API servers do not start with them, or time is up",
            "2:bad usage, or a member that does not answer"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro change etcd-servers --name ouroboros",
            "  ouro change etcd-servers --name ouroboros --without ouroboros-3"
        })
final class EtcdServersCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Mixin
    private final EtcdOptions etcd = new EtcdOptions();

    @Option(
            names = "--without",
            paramLabel = "MEMBER",
            description =
                    "Members that API servers are to know no more, by name or ID: one that is lost, or is to leave.")
    private List<String> without = List.of();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        List<String> members =
                new EtcdClusterSource(etcd.requiredOf(target)).look().clientUrlsWithout(without);
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            EtcdServersChange.Outcome outcome =
                    new EtcdServersChange(client, new SpokenLines(spec), timeout, InstantSource.system()).to(members);
            output.print(
                    spec,
                    data(outcome),
                    () -> "API servers look for etcd at " + String.join(", ", outcome.urls()) + "\n");
        }
        return ExitCode.DONE;
    }

    private static ObjectNode data(EtcdServersChange.Outcome outcome) {
        ObjectNode data = JsonNodeFactory.instance.objectNode().put("changed", outcome.isChanged());
        ArrayNode urls = data.putArray("etcdServers");
        outcome.urls().forEach(urls::add);
        return data;
    }
}
