package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.etcd.membership.MemberAdder;
import dev.ouroboros.etcd.membership.WishedMembers;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.node.clock.MonotonicClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro etcd add}. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lets a control-plane node become one with a member of etcd: run on the node of a member, with etcd's authority, while 'ouro etcd join' waits on the other one."
                    + " Signs its certificate, adds it as a learner, lets it start, gives it a vote once it follows, and compares its data. A learner that does not follow is taken"
                    + " away again.",
            "May be killed at any moment: run again, it goes on."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the node's member votes, and its data are the same",
            "1:it does not, and is none; or time is up",
            "2:bad usage, or a node or etcd with which this cannot be done"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro etcd add node-2 --asset-dir ./assets",
            "  ouro exec ouroboros -- ouro etcd add ouroboros-2    # in a sandbox"
        })
final class EtcdAddCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "NODE", description = "Name of the Node that is to have a member.")
    private String name = "";

    @Mixin
    private final EtcdAuthorityOptions authority = new EtcdAuthorityOptions();

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "Of somebody who may sign and approve certificates (default: the administrator's of the asset directory).")
    private Optional<Path> kubeconfig = Optional.empty();

    @Mixin
    private final EtcdNodeOptions node = new EtcdNodeOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description =
                    "After how long a learner that does not follow is taken away again (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(10);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ThisMachine.requireRoot("ouro etcd add", "keys of etcd are root's");
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        Path identity = kubeconfig.orElseGet(() -> authority.assets().resolve(AssetLayout.ADMIN_KUBECONFIG));
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(identity, Optional.empty()))) {
            WishedMembers.requireNone(client);
            int votes = new MemberAdder(
                            ThisMachine.disk(), client, InstantSource.system(), clock, new SpokenLines(spec, clock))
                    .add(new MemberAdder.Options(
                            name,
                            node.manifest(),
                            authority.certificate(),
                            authority.key(),
                            EtcdNodeOptions.state(),
                            timeout));
            output.print(
                    spec,
                    JsonNodeFactory.instance.objectNode().put("votes", votes),
                    () -> "node " + name + " has a member of etcd; " + EtcdView.votes(votes)
                            + "API servers look for it there after 'ouro change etcd-servers'\n");
        }
        return ExitCode.DONE;
    }
}
