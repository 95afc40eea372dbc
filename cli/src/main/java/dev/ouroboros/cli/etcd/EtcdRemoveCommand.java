package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.cluster.EtcdOptions;
import dev.ouroboros.cli.cluster.SandboxOptions;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.etcd.membership.MemberRemover;
import dev.ouroboros.node.clock.MonotonicClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro etcd remove}. */
@Command(
        name = "remove",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes a member of etcd off the list whose machine is lost: one that has not answered for a minute, while all others follow the leader. One that answers leaves with 'ouro etcd leave'.",
            "If its machine comes back, run 'ouro etcd leave' there."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it is none any more", "1:time is up", "2:bad usage, no such member, or one that answers"},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro etcd remove --name ouroboros ouroboros-3",
            "  ouro etcd remove node-3 --etcd-servers https://10.0.0.1:2379 \\",
            "      --etcd-ca-path ca.crt --etcd-certificate-path client.crt --etcd-private-key-path client.key"
        })
final class EtcdRemoveCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "MEMBER", description = "Its name or ID.")
    private String member = "";

    @Mixin
    private final SandboxOptions sandbox = new SandboxOptions();

    @Mixin
    private final EtcdOptions etcd = new EtcdOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(5);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        int votes =
                new MemberRemover(clock, new SpokenLines(spec, clock)).remove(member, etcd.serversOr(sandbox), timeout);
        output.print(
                spec,
                JsonNodeFactory.instance.objectNode().put("votes", votes),
                () -> "member " + member + " is none any more; " + EtcdView.votes(votes) + "\n");
        return ExitCode.DONE;
    }
}
