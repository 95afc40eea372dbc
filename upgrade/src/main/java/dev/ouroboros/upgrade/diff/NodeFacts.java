package dev.ouroboros.upgrade.diff;

import dev.ouroboros.keeper.KeeperMain;
import dev.ouroboros.keeper.checkpoint.CheckpointStore;
import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.manifest.KeeperDaemonSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a node's disk and process table say of a component, without its API. */
public final class NodeFacts {
    private static final Path CHECKPOINTS = Path.of("var/lib/ouroboros/checkpoints");
    private static final String PORT_FLAG = "--secure-port=";
    private static final String KEEPER_CLASS = KeeperMain.class.getName();

    private final Path root;
    private final CheckpointStore store;

    /** @param root the node's file system, as it is reached from here */
    public NodeFacts(Disk disk, Path root) {
        this.root = root;
        this.store = new CheckpointStore(disk, root.resolve(CHECKPOINTS));
    }

    /** The pod of the last-good checkpoint; empty when there is none. */
    Evidence<Optional<Json>> checkpoint(ComponentName component) {
        try {
            Evidence<Slots> slots = store.read().slots().get(component);
            return switch (slots) {
                case null -> Evidence.known(Optional.empty());
                case Evidence.Unknown<Slots>(String why) -> Evidence.unknown(why);
                case Evidence.Known<Slots>(Slots known) ->
                    Evidence.known(known.lastGood()
                            .map(revision -> store.load(component, revision).pod()));
            };
        } catch (ProblemException e) {
            return Evidence.unknown(e.problems().getFirst().describe());
        }
    }

    /** The command line of this program's process that is no understudy; empty when none runs. */
    Evidence<Optional<List<String>>> process(String program) {
        try (Stream<Path> processes = Files.list(root.resolve("proc"))) {
            return Evidence.known(processes
                    .filter(process -> process.getFileName().toString().matches("\\d+"))
                    .map(process -> asProgram(words(process)))
                    .filter(words -> !words.isEmpty()
                            && Path.of(words.getFirst()).endsWith(program)
                            && Component.WITH_UNDERSTUDY.stream()
                                    .noneMatch(component -> words.contains(PORT_FLAG + component.understudyPort())))
                    .findFirst());
        } catch (IOException e) {
            return Evidence.unknown("processes cannot be listed: " + e.getMessage());
        }
    }

    /** The keeper is a Java program: its main class and own arguments follow those of Java. */
    private static List<String> asProgram(List<String> words) {
        int main = words.indexOf(KEEPER_CLASS);
        if (main < 0 || !Path.of(words.getFirst()).endsWith("java")) {
            return words;
        }
        List<String> own = new ArrayList<>(List.of(KeeperDaemonSet.NAME));
        own.addAll(words.subList(main + 1, words.size()));
        return own;
    }

    private static List<String> words(Path process) {
        try {
            String all = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            // Each word ends with the separator, the last one too.
            return all.isEmpty()
                    ? List.of()
                    : List.of(all.replaceFirst("\0$", "").split("\0", -1));
        } catch (IOException e) {
            // It has ended since it was listed.
            return List.of();
        }
    }
}
