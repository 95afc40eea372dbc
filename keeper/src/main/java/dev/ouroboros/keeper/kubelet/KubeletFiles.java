package dev.ouroboros.keeper.kubelet;

import dev.ouroboros.keeper.kubelet.decide.KubeletAction;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.KubeletPrograms;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The files of a node's kubelet: {@link KubeletLayout}. */
final class KubeletFiles {
    private static final String READABLE = "rw-r--r--";
    private static final String DIRECTORY = "rwxr-xr-x";
    /** How long a generation has to be well, in seconds. */
    private static final int TRIAL_SECONDS = 120;

    private static final String READY = " ready";

    private final Disk disk;
    private final Path directory;
    private final KubeletPrograms programs;

    /** @param directory the one of the layout */
    KubeletFiles(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
        this.programs = new KubeletPrograms(disk, directory);
    }

    /**
     * The generation with which the node was made.
     *
     * @throws ProblemException DAMAGED_FILE when its file cannot be read as one
     */
    Optional<KubeletGeneration> base() {
        Path file = generation(KubeletLayout.BASE).resolve(KubeletLayout.GENERATION);
        Optional<String> text = disk.readText(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(KubeletGeneration.read(text.get()));
        } catch (MalformedJson e) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    file.toString(),
                    "is no generation of a kubelet: " + e.getMessage(),
                    "",
                    "run 'ouro host prepare' again, in a sandbox 'ouro up'");
        }
    }

    private Path generation(String name) {
        return directory.resolve(KubeletLayout.GENERATIONS).resolve(name);
    }

    /** The first word of a file of the guard's; empty where there is none. */
    Optional<String> word(String file) {
        return disk.readText(directory.resolve(file))
                .map(text -> text.strip().split(" ", 2)[0])
                .filter(word -> !word.isEmpty());
    }

    /** Whether the Node was Ready when the trial was begun; empty where there is none. */
    Optional<Boolean> isTriedWhileReady() {
        return disk.readText(directory.resolve(KubeletLayout.TRIAL))
                .map(text -> text.strip().endsWith(READY));
    }

    SortedSet<String> generations() {
        SortedSet<String> names = new TreeSet<>(disk.list(directory.resolve(KubeletLayout.GENERATIONS)));
        names.removeIf(name -> name.startsWith(Disk.TEMPORARY_PREFIX));
        return names;
    }

    /** What became of a base that was another one counts no more; all others are named by their content. */
    SortedMap<String, String> outcomes() {
        SortedMap<String, String> outcomes = new TreeMap<>();
        for (String name : disk.list(directory.resolve(KubeletLayout.OUTCOMES))) {
            Path outcome = directory.resolve(KubeletLayout.OUTCOMES).resolve(name);
            Optional<Instant> made = disk.modifiedAt(generation(name).resolve(KubeletLayout.GENERATION));
            Optional<Instant> ended = disk.modifiedAt(outcome);
            if (!name.equals(KubeletLayout.BASE)
                    || made.isEmpty()
                    || ended.filter(at -> !at.isBefore(made.get())).isPresent()) {
                disk.readText(outcome).ifPresent(text -> outcomes.put(name, text.strip()));
            }
        }
        return outcomes;
    }

    SortedSet<String> programs() {
        return programs.digests();
    }

    Optional<Instant> modifiedAt(String file) {
        return disk.modifiedAt(directory.resolve(file));
    }

    /** @throws ProblemException DAMAGED_FILE when the program that it needs is another one */
    void perform(KubeletAction action) {
        switch (action) {
            case KubeletAction.Nothing() -> {}
            case KubeletAction.Stage(KubeletGeneration generation) -> stage(generation);
            case KubeletAction.Try(String name, boolean isReady) ->
                write(KubeletLayout.TRIAL, name + " " + TRIAL_SECONDS + (isReady ? READY : ""));
            case KubeletAction.Forget(String name) -> forget(name);
            case KubeletAction.ForgetFailures(SortedSet<String> names) ->
                names.forEach(name ->
                        disk.delete(directory.resolve(KubeletLayout.OUTCOMES).resolve(name)));
            case KubeletAction.Condemn(String name, String reason) ->
                write(KubeletLayout.CONDEMNED, name + " " + reason);
        }
    }

    /** As a whole: what has the name of a generation is one. */
    private void forget(String name) {
        Path going = generation(Disk.TEMPORARY_PREFIX + name);
        disk.deleteTree(going);
        disk.rename(generation(name), going);
        disk.deleteTree(going);
        programs.removeFormer(usedPrograms());
    }

    /** One whose generation cannot be read is used by it for all we know, and no program is removed then. */
    private Set<String> usedPrograms() {
        Set<String> used = new TreeSet<>();
        for (String name : generations()) {
            Optional<String> text = disk.readText(generation(name).resolve(KubeletLayout.GENERATION));
            try {
                KubeletGeneration.read(text.orElse("")).digest().ifPresent(used::add);
            } catch (MalformedJson e) {
                return programs.digests();
            }
        }
        return used;
    }

    /** As a whole, or not at all. */
    private void stage(KubeletGeneration generation) {
        generation.digest().ifPresent(this::requireProgram);
        Path target = generation(generation.name());
        Path staging = target.resolveSibling(Disk.TEMPORARY_PREFIX + generation.name());
        disk.deleteTree(staging);
        disk.createDirectories(staging, DIRECTORY);
        Map<String, String> files = new TreeMap<>(generation.files(target.toString()));
        disk.readText(generation(KubeletLayout.BASE).resolve(KubeletLayout.GENERATION))
                .ifPresent(base -> files.put(KubeletLayout.MADE_ON, base));
        for (Map.Entry<String, String> file : files.entrySet()) {
            disk.write(staging.resolve(file.getKey()), file.getValue().getBytes(StandardCharsets.UTF_8), READABLE);
        }
        disk.rename(staging, target);
    }

    private void requireProgram(String digest) {
        Path program = programs.path(digest);
        if (!KubeletPrograms.digest(program).equals(digest)) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    program.toString(),
                    "has another content than its directory's name says",
                    "SHA-256 " + digest,
                    "remove it, and have it brought again on this node: ouro kubelet load FILE");
        }
    }

    private void write(String file, String text) {
        disk.write(directory.resolve(file), (text + "\n").getBytes(StandardCharsets.UTF_8), READABLE);
    }
}
