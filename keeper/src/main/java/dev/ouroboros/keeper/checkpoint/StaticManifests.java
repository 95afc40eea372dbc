package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.keeper.decide.StaticManifest;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The kubelet's manifest directory. What carries neither the keeper's nor start's mark is never touched. Every method may be called
 * again after it failed or was cut off.
 */
public final class StaticManifests {
    /** start writes YAML, which the keeper has no reader for; its mark is a line. */
    private static final Pattern MARK_OF_START = Pattern.compile(
            "^\\s*\"?" + Pattern.quote(Understudy.OWNER_ANNOTATION) + "\"?\\s*:\\s*[\"']?start[\"']?\\s*,?\\s*$",
            Pattern.MULTILINE);

    private static final String REVISION = "[0-9a-f]{8,64}";
    private static final String NEXT = Disk.TEMPORARY_PREFIX + "next-";

    private final Disk disk;
    private final Path directory;
    /** What was read last of each file, and whose it is: they are read each second and change rarely. */
    private final Map<Path, Read> reads = new ConcurrentHashMap<>();

    private record Read(String text, Optional<Mark> mark) {}

    /** @param directory {@code /etc/kubernetes/manifests} */
    public StaticManifests(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /**
     * The directory as it is now.
     *
     * @throws ProblemException when it cannot be read
     */
    public Look look() {
        return new Look(disk.list(directory));
    }

    /**
     * One look at the directory: every question is answered of the same files, each of which is read once, when it is asked for. Not for
     * several threads.
     */
    public final class Look {
        private final List<String> names;
        private final Map<Path, Optional<String>> texts = new HashMap<>();

        private Look(List<String> names) {
            this.names = names;
        }

        /**
         * What stands for a component: under the name of its understudy, else, for the three components of a pivot, start's temporary
         * pod. A file of that name that carries no mark, or cannot be understood, is Foreign.
         */
        public StaticManifest read(ComponentName component, Role role) {
            Path file = fileOf(component, role);
            Optional<String> text = text(file);
            if (text.isPresent()) {
                return mark(file, text.get())
                        .filter(mark -> mark.component().equals(component))
                        .<StaticManifest>map(mark -> new StaticManifest.Ours(mark.revision()))
                        .orElseGet(StaticManifest.Foreign::new);
            }
            return ofStart(role).isPresent() ? new StaticManifest.OfStart() : new StaticManifest.Absent();
        }

        /** When the understudy was written that the kubelet has now; empty when there is none of ours. */
        public Optional<Instant> startOf(ComponentName component, Role role) {
            Path file = fileOf(component, role);
            return text(file)
                    .flatMap(text -> mark(file, text))
                    .filter(mark -> mark.component().equals(component))
                    .flatMap(Mark::started);
        }

        /** Every manifest of the keeper's with its revision, also of components that nobody knows any more. */
        public SortedMap<ComponentName, Revision> ours() {
            SortedMap<ComponentName, Revision> all = new TreeMap<>();
            List<Path> files = names.stream()
                    .filter(name -> name.endsWith(".json") && !name.startsWith("."))
                    .map(directory::resolve)
                    .toList();
            reads.keySet().retainAll(files);
            for (Path file : files) {
                text(file)
                        .flatMap(text -> mark(file, text))
                        .ifPresent(mark -> all.put(mark.component(), mark.revision()));
            }
            return all;
        }

        /**
         * The text of a file that is there. Most are not, and finding that out by an exception for each, each second, costs more
         * than all the rest.
         */
        private Optional<String> text(Path file) {
            return texts.computeIfAbsent(
                    file,
                    _ -> names.contains(String.valueOf(file.getFileName())) ? disk.readText(file) : Optional.empty());
        }

        private Optional<Path> ofStart(Role role) {
            Optional<String> manifest = Component.of(role).map(AssetLayout::bootstrapManifest);
            return manifest.map(path -> directory.resolve(AssetLayout.baseName(path)))
                    .filter(file -> text(file)
                            .filter(text -> MARK_OF_START.matcher(text).find())
                            .isPresent());
        }
    }

    /**
     * Gives the kubelet an understudy in place of start's temporary pod, if there is one: both would want the same port. The
     * content is on the disk before anything is removed. An understudy of the same revision that is there already stays: a
     * decision made on what was seen before the write may ask for it again, and another start time in the manifest would make the
     * kubelet recreate the pod.
     *
     * @throws ProblemException FOREIGN_FILE when somebody else's file has its name
     */
    public void write(ComponentName component, Role role, Json.Fields manifest) {
        Path file = fileOf(component, role);
        StaticManifest there = look().read(component, role);
        if (there instanceof StaticManifest.Foreign) {
            throw ProblemException.of(
                    ErrorCode.FOREIGN_FILE,
                    file.toString(),
                    "was written by somebody else",
                    "no file there, or ours",
                    "move it away if it is not needed");
        }
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        byte[] text = JsonText.write(manifest);
        Optional<Path> temporaryPod = look().ofStart(role);
        if (temporaryPod.isEmpty()) {
            boolean again = mark(new String(text, StandardCharsets.UTF_8))
                    .filter(mark -> there.equals(new StaticManifest.Ours(mark.revision())))
                    .isPresent();
            if (!again) {
                disk.write(file, text, Disk.OWNER_ONLY_FILE);
            }
            return;
        }
        Path next = directory.resolve(NEXT + file.getFileName());
        disk.write(next, text, Disk.OWNER_ONLY_FILE);
        disk.delete(temporaryPod.get());
        disk.rename(next, file);
    }

    /** Removes the understudy of a component and start's temporary pod; false when there was none of ours. */
    public boolean remove(ComponentName component, Role role) {
        Look there = look();
        boolean wasOurs =
                there.read(component, role) instanceof StaticManifest.Ours && disk.delete(fileOf(component, role));
        boolean wasOfStart = there.ofStart(role).map(disk::delete).orElse(false);
        return wasOurs || wasOfStart;
    }

    private record Mark(ComponentName component, Revision revision, Optional<Instant> started) {}

    private Optional<Mark> mark(Path file, String text) {
        Read last = reads.get(file);
        if (last == null || !last.text().equals(text)) {
            last = new Read(text, mark(text));
            reads.put(file, last);
        }
        return last.mark();
    }

    private static Optional<Mark> mark(String text) {
        Json annotations;
        try {
            annotations = JsonText.read(text).at("metadata", "annotations");
        } catch (MalformedJson e) {
            // What cannot be understood was not written by us: our writes are whole or not there.
            return Optional.empty();
        }
        boolean isOurs = annotations.at(Understudy.OWNER_ANNOTATION).equals(Json.text(Understudy.OWNER));
        Optional<String> revision =
                annotations.at(Understudy.REVISION_ANNOTATION).text().filter(digest -> digest.matches(REVISION));
        String[] component = annotations
                .at(Understudy.COMPONENT_ANNOTATION)
                .text()
                .orElse("")
                .split("/", -1);
        if (!isOurs
                || revision.isEmpty()
                || component.length != 2
                || component[0].isEmpty()
                || component[1].isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Mark(
                new ComponentName(component[0], component[1]), new Revision(revision.get()), started(annotations)));
    }

    /** Empty when the keeper that wrote the manifest did not note the start, or when it was edited. */
    private static Optional<Instant> started(Json annotations) {
        return annotations.at(Understudy.START_ANNOTATION).text().flatMap(text -> {
            try {
                return Optional.of(Instant.parse(text));
            } catch (DateTimeParseException e) {
                return Optional.empty();
            }
        });
    }

    private Path fileOf(ComponentName component, Role role) {
        return directory.resolve(Understudy.fileName(component, role));
    }
}
