package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.membership.MemberLeaver;
import dev.ouroboros.node.clock.MonotonicClock;
import dev.ouroboros.node.port.Listeners;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro etcd leave}. */
@Command(
        name = "leave",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Has the member of etcd on this node leave: another one leads, it ends in order, and is none any more. Its data stay here under another name, its keys are removed."
                    + " 'ouro change etcd-servers --without' comes first, so that no API server looks for it.",
            "May be killed at any moment: run again, it goes on. Also for what is left of a member that was removed while its node was off."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:this node has no member of etcd",
            "1:time is up",
            "2:bad usage, or an etcd with which this cannot be done"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro etcd leave", "  ouro exec ouroboros-2 -- ouro etcd leave    # in a sandbox"})
final class EtcdLeaveCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private final EtcdNodeOptions node = new EtcdNodeOptions();

    @Option(
            names = "--etcd-servers",
            split = ",",
            paramLabel = "URL",
            description =
                    "Client URLs of other members, for one that was removed while it was off and does not know them (default: those that it knows).")
    private List<String> others = List.of();

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
        ThisMachine.requireRoot("ouro etcd leave", "manifests and keys of etcd are root's");
        InstantSource clock = new MonotonicClock(InstantSource.system().instant());
        MemberLeaver.Outcome outcome = new MemberLeaver(
                        ThisMachine.disk(),
                        node.runtime(),
                        Listeners.ofThisMachine(),
                        clock,
                        new SpokenLines(spec, clock))
                .leave(new MemberLeaver.Options(node.manifest(), others, EtcdNodeOptions.state(), timeout));
        boolean hasLeft = outcome == MemberLeaver.Outcome.LEFT;
        output.print(
                spec,
                JsonNodeFactory.instance.objectNode().put("left", hasLeft),
                () -> hasLeft
                        ? "this node has no member of etcd any more\n"
                        : "nothing to do: there is no " + node.manifest() + "\n");
        return ExitCode.DONE;
    }
}
