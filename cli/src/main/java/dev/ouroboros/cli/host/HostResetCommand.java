package dev.ouroboros.cli.host;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.host.HostTree;
import dev.ouroboros.host.Reset;
import dev.ouroboros.host.Reset.Planned;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro host reset}. */
@Command(
        name = "reset",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Takes away what 'ouro host prepare' wrote and enabled, ends the pods, and looks whether anything of it is left.",
            "Files that were edited since are kept and named; so are packages. Data are removed with --delete-data only."
        },
        footerHeading = "%nExample:%n",
        footer = {"  ouro host reset --dry-run", "  ouro host reset --delete-data --yes"})
final class HostResetCommand implements Callable<Integer> {
    private static final String NOTHING = "ouro host prepare has written nothing here: nothing to do";
    private static final String DATA_ALONE =
            "nothing is left here but data: nothing to do; to delete them: ouro host reset --delete-data";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--delete-data",
            description =
                    "Remove etcd's data too, and those of the kubelet, 'ouro start' and the keeper. Save a snapshot first.")
    private boolean deleteData;

    @Mixin
    private final HostOptions host = new HostOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        HostTree tree = host.tree();
        Reset reset = new Reset(
                tree, ThisMachine.processes(), InstantSource.system(), host.timeout(), new SpokenLines(spec)::say);
        host.require(tree);
        if (host.dryRun()) {
            Planned planned = reset.plan(deleteData);
            output.print(spec, data(planned), () -> text(planned));
            return ExitCode.DONE;
        }
        return tree.exclusively(() -> {
            Planned planned = reset.plan(deleteData);
            if (planned.isNothing()) {
                new SpokenLines(spec).say(nothing(planned));
                return ExitCode.DONE;
            }
            return host.agreed(text(planned), spec) ? done(reset.run(planned), planned, tree) : ExitCode.FAILED;
        });
    }

    private int done(List<String> left, Planned planned, HostTree tree) {
        SpokenLines lines = new SpokenLines(spec);
        planned.edited().forEach(path -> lines.say("kept, because it was edited: " + path));
        planned.kept().forEach(path -> lines.say("kept, because it has data: " + path));
        planned.others().forEach(path -> lines.say("kept, because it is not of the cluster: " + path));
        if (!planned.record().packages().isEmpty()) {
            lines.say("kept, Debian packages; to remove them: apt-get remove "
                    + String.join(" ", planned.record().packages()));
        }
        if (left.isEmpty()) {
            lines.say(
                    tree.isThisMachine()
                            ? "looked again for files, units, services, containers, mounts, network devices and the front:"
                                    + " nothing is left; rules that kube-proxy made go with a reboot"
                            : "looked again for files: nothing is left");
        }
        left.forEach(what -> lines.say("left: " + what));
        if (!left.isEmpty()) {
            return ExitCode.FAILED;
        }
        return planned.edited().isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private static String nothing(Planned planned) {
        return planned.record().isOfDataAlone() ? DATA_ALONE : NOTHING;
    }

    private static String text(Planned planned) {
        if (planned.isNothing()) {
            return nothing(planned) + "\n";
        }
        StringBuilder text = new StringBuilder();
        planned.files().forEach(path -> text.append("remove ").append(path).append('\n'));
        planned.edited().forEach(path -> text.append("keep   ").append(path).append(" (edited)\n"));
        planned.data()
                .forEach(path -> text.append("DELETE all in ").append(path).append('\n'));
        planned.kept().forEach(path -> text.append("keep   ").append(path).append(" (data)\n"));
        planned.others().forEach(path -> text.append("keep   ").append(path).append(" (not of the cluster)\n"));
        planned.record()
                .enabled()
                .forEach(unit -> text.append("stop and disable ").append(unit).append('\n'));
        return text.toString();
    }

    private static ObjectNode data(Planned planned) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        planned.files().forEach(data.putArray("remove")::add);
        planned.edited().forEach(data.putArray("edited")::add);
        planned.data().forEach(data.putArray("delete")::add);
        planned.kept().forEach(data.putArray("kept")::add);
        planned.others().forEach(data.putArray("others")::add);
        planned.record().enabled().forEach(data.putArray("disable")::add);
        return data;
    }
}
