package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.etcd.membership.MemberJoiner;
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
import picocli.CommandLine.Spec;

/** {@code ouro etcd join}. */
@Command(
        name = "join",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Gives this control-plane node a member of etcd: makes its key here, asks for a certificate as this node's kubelet, waits for 'ouro etcd add' on the node of a"
                    + " member, starts the member, and waits until it votes.",
            "May be killed at any moment: run again, it goes on."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:this node's member votes",
            "1:it was not let, and the node is as before; or time is up",
            "2:bad usage, or a node with which this cannot be done"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro etcd join", "  ouro exec ouroboros-2 -- ouro etcd join    # in a sandbox"})
final class EtcdJoinCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            defaultValue = "/var/lib/kubelet/kubeconfig",
            description =
                    "This node's kubelet's: with it the request proves which node asks. kubeadm has it at /etc/kubernetes/kubelet.conf (default: ${DEFAULT-VALUE}).")
    private Path kubeconfig = Path.of("");

    @Mixin
    private final EtcdNodeOptions node = new EtcdNodeOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "15m",
            converter = DurationConverter.class,
            description = "How long one thing is waited for (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(15);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        ThisMachine.requireRoot("ouro etcd join", "manifests and keys of etcd are root's");
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        try (ClusterClient client = ClusterClient.connect(KubeconfigFile.read(kubeconfig, Optional.empty()))) {
            MemberJoiner.Outcome outcome = new MemberJoiner(
                            ThisMachine.disk(), node.runtime(), client, clock, new SpokenLines(spec, clock))
                    .join(new MemberJoiner.Options(node.manifest(), EtcdNodeOptions.state(), timeout));
            boolean isJoined = outcome == MemberJoiner.Outcome.JOINED;
            output.print(
                    spec,
                    JsonNodeFactory.instance.objectNode().put("joined", isJoined),
                    () -> isJoined
                            ? "this node has a member of etcd; API servers look for it there after 'ouro change etcd-servers'\n"
                            : "nothing to do: " + node.manifest() + " is there already\n");
        }
        return ExitCode.DONE;
    }
}
