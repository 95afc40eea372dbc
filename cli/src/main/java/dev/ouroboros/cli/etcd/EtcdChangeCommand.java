package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.EtcdChangeOptions;
import dev.ouroboros.etcd.EtcdChanger;
import dev.ouroboros.etcd.UnfinishedChange;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.port.Listeners;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro etcd change}. */
@Command(
        name = "change",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Gives the member of etcd on this node, a static pod, another manifest without an outage: other flags, another image, the next minor version. An only"
                    + " member gets two temporary ones meanwhile, and API servers turn to the second port that --etcd-servers names; where there are three and more, the"
                    + " others serve. A member that does not start gets its former manifest.",
            "May be killed at any moment: run again with the same file, it goes on."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:etcd runs as the manifest says",
            "1:it does not, and runs as before; or time is up",
            "2:bad usage, or a manifest or cluster with which this cannot be done"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro etcd change etcd.yaml",
            "  ouro exec ouroboros -- ouro etcd change /root/etcd.yaml    # in a sandbox"
        })
final class EtcdChangeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The new manifest, made from the present one.")
    private Path file = Path.of("");

    @Mixin
    private final EtcdNodeOptions node = new EtcdNodeOptions();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description =
                    "After how long a step is given up; clients of etcd may take two and a half minutes to turn to another member (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ofMinutes(5);

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() throws InterruptedException {
        ThisMachine.requireRoot("ouro etcd change", "manifests and keys of etcd are root's");
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        EtcdChanger changer = new EtcdChanger(
                ThisMachine.disk(), node.runtime(), Listeners.ofThisMachine(), clock, new SpokenLines(spec, clock));
        EtcdChanger.Outcome outcome = changer.change(
                new EtcdChangeOptions(file.toAbsolutePath(), node.manifest(), EtcdNodeOptions.state(), timeout));
        boolean isChanged = outcome == EtcdChanger.Outcome.CHANGED;
        output.print(
                spec,
                JsonNodeFactory.instance.objectNode().put("changed", isChanged),
                () -> isChanged
                        ? "etcd runs as " + file + " says; the manifest of before is "
                                + UnfinishedChange.CHANGE
                                        .directory(EtcdNodeOptions.state())
                                        .resolve("former.yaml") + "\n"
                        : "nothing to change: etcd's manifest says the same\n");
        return ExitCode.DONE;
    }
}
