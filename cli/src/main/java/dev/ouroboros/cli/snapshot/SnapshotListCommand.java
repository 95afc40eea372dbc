package dev.ouroboros.cli.snapshot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.etcd.SnapshotList;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro snapshot list}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Lists the snapshots that 'ouro snapshot save' or the steward saved to a directory, the oldest first, with those in the directories in it.",
            "Looks at the end of each file only; 'ouro snapshot inspect' reads all of it."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:each is as it was saved",
            "1:one is missing, or something else has its name",
            "2:bad usage, or nothing was ever saved there"
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ouro snapshot list /backup", "  ouro exec ouroboros -- ouro snapshot list    # in a sandbox"})
final class SnapshotListCommand implements Callable<Integer> {
    private static final double MEBIBYTE = 1 << 20;
    private static final String NONE = "-";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "DIR",
            description = "Where they are (default: ${DEFAULT-VALUE}, the steward's on a control-plane node).",
            defaultValue = StateLayout.DIRECTORY + "/" + StateLayout.BACKUPS)
    private Path directory = Path.of("");

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        List<SnapshotList.Entry> entries = new SnapshotList(ThisMachine.disk()).below(directory.toAbsolutePath());
        if (entries.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    directory.toString(),
                    "has no snapshot that ouro saved",
                    "the directory of 'ouro snapshot save', or that of the steward on a control-plane node",
                    "a file that something else saved is read by 'ouro snapshot inspect FILE'");
        }
        output.print(spec, data(entries), () -> table(entries));
        boolean isWhole = entries.stream().allMatch(entry -> entry.state() == SnapshotList.State.AS_SAVED);
        return isWhole ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static ObjectNode data(List<SnapshotList.Entry> entries) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode list = data.putArray("snapshots");
        for (SnapshotList.Entry entry : entries) {
            ObjectNode node = list.addObject()
                    .put("file", entry.file().toString())
                    .put("state", word(entry.state()))
                    .put("bytes", entry.bytes());
            entry.savedAt().ifPresent(moment -> node.put("savedAt", moment.toString()));
            entry.keys().ifPresent(keys -> node.put("keys", keys.toString()));
        }
        return data;
    }

    private static String table(List<SnapshotList.Entry> entries) {
        TextTable table = new TextTable("FILE", "SAVED", "SIZE", "KEYS", "STATE");
        for (SnapshotList.Entry entry : entries) {
            table.row(
                    entry.file().toString(),
                    entry.savedAt().map(Object::toString).orElse(NONE),
                    String.format(Locale.ROOT, "%.1f MiB", entry.bytes() / MEBIBYTE),
                    entry.keys().isPresent() ? "yes" : NONE,
                    word(entry.state()));
        }
        return table.toString();
    }

    private static String word(SnapshotList.State state) {
        return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
