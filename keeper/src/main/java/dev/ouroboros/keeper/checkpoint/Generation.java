package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.checkpoint.SavedFile;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The directory of one checkpoint, which never changes once it is there:
 *
 * <pre>
 * pod.json              the sanitized manifest
 * checkpoint.json       what it is of, and every file with mode, group and digest
 * files/VOLUME/PATH     what the understudy mounts: VOLUME is open to other users, the directories above it are not
 * </pre>
 */
final class Generation {
    static final String FILES = "files";

    private static final String POD = "pod.json";
    private static final String METADATA = "checkpoint.json";

    /** A container's user must pass these. Only the volume itself is mounted, so the directories above protect it from the node's users. */
    private static final String OPEN_DIRECTORY = "rwxr-xr-x";

    private final Disk disk;
    private final Path directory;
    private final List<Problem> problems = new ArrayList<>();

    private Generation(Disk disk, Path directory) {
        this.disk = disk;
        this.directory = directory;
    }

    /** The outcome of a verification. */
    sealed interface Verdict {
        record Whole(Checkpoint checkpoint) implements Verdict {}

        record Damaged(List<Problem> problems) implements Verdict {
            public Damaged {
                problems = List.copyOf(problems);
            }
        }
    }

    /** Writes everything to a directory that does not exist yet. */
    static void write(Disk disk, Path directory, Checkpoint checkpoint) {
        disk.createDirectories(directory.resolve(FILES), Disk.OWNER_ONLY_DIRECTORY);
        for (String volume : checkpoint.volumes()) {
            disk.createDirectories(directory.resolve(FILES).resolve(volume), OPEN_DIRECTORY);
        }
        for (SavedFile file : checkpoint.files()) {
            Path path = pathOf(directory, file);
            disk.createDirectories(path.resolveSibling(""), OPEN_DIRECTORY);
            disk.write(path, file.content().bytes(), permissions(file.mode()), file.group());
        }
        disk.write(directory.resolve(POD), JsonText.write(checkpoint.pod()), Disk.OWNER_ONLY_FILE);
        disk.write(directory.resolve(METADATA), Signed.write(metadata(checkpoint)), Disk.OWNER_ONLY_FILE);
    }

    /** A generation's files are never written again: it was saved when the last of them was written. */
    static Optional<Instant> savedAt(Disk disk, Path directory) {
        return disk.modifiedAt(directory.resolve(METADATA));
    }

    /** Reads and compares everything: the content with the digests, the directory with the list, and all with the revision. */
    static Verdict verify(Disk disk, Path directory, ComponentName component, Revision revision) {
        Generation generation = new Generation(disk, directory);
        Optional<Checkpoint> checkpoint = generation.read(component);
        checkpoint
                .map(Checkpoint::revision)
                .filter(found -> !found.equals(revision))
                .ifPresent(found -> generation.damaged(directory, "holds revision " + found));
        if (checkpoint.isPresent() && generation.problems.isEmpty()) {
            return new Verdict.Whole(checkpoint.get());
        }
        return new Verdict.Damaged(generation.problems);
    }

    private Optional<Checkpoint> read(ComponentName component) {
        Optional<FileStatus> status = disk.status(directory);
        if (!status.map(FileStatus::permissions).equals(Optional.of(Disk.OWNER_ONLY_DIRECTORY))) {
            damaged(
                    directory,
                    "should be " + Disk.OWNER_ONLY_DIRECTORY + " and is "
                            + status.map(FileStatus::permissions).orElse("not there"));
            return Optional.empty();
        }
        Optional<Json> metadata = metadataFile();
        Optional<Json.Fields> pod = pod();
        if (metadata.isEmpty() || pod.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(assemble(component, metadata.get(), pod.get()));
        } catch (IllegalArgumentException e) {
            damaged(directory.resolve(METADATA), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** @throws IllegalArgumentException when the metadata says what no checkpoint of ours can be */
    private Checkpoint assemble(ComponentName component, Json content, Json.Fields pod) {
        Role role = role(content);
        ComponentName written = new ComponentName(text(content, "namespace", "?"), text(content, "name", "?"));
        if (!written.equals(component)) {
            damaged(directory.resolve(METADATA), "is of " + written);
        }
        List<SavedFile> files = new ArrayList<>();
        Set<Path> expected = new TreeSet<>();
        expected.add(directory.resolve(POD));
        expected.add(directory.resolve(METADATA));
        for (Json entry : content.at("files").items()) {
            file(entry).ifPresent(files::add);
            expected.add(
                    directory.resolve(FILES).resolve(text(entry, "volume", "?")).resolve(text(entry, "path", "?")));
        }
        Checkpoint checkpoint = new Checkpoint(component, role, pod, files);
        checkpoint.volumes().forEach(volume -> {
            if (!isDirectory(directory.resolve(FILES).resolve(volume))) {
                damaged(directory.resolve(FILES).resolve(volume), "is not there");
            }
        });
        findForeign(directory, expected);
        return checkpoint;
    }

    private Optional<Json> metadataFile() {
        Path file = directory.resolve(METADATA);
        Optional<byte[]> text = disk.read(file);
        if (text.isEmpty()) {
            damaged(file, "is not there");
            return Optional.empty();
        }
        return switch (Signed.read(text.get(), file.toString())) {
            case Signed.Reading.Whole(Json content) -> Optional.of(content);
            case Signed.Reading.Bad(Problem problem) -> {
                problems.add(problem);
                yield Optional.empty();
            }
        };
    }

    private Optional<Json.Fields> pod() {
        Path file = directory.resolve(POD);
        try {
            if (JsonText.read(disk.read(file).orElse(new byte[0])) instanceof Json.Fields pod) {
                return Optional.of(pod);
            }
            damaged(file, "is no object");
        } catch (MalformedJson e) {
            damaged(file, "is torn: " + e.getMessage());
        }
        return Optional.empty();
    }

    private Role role(Json metadata) {
        String name = text(metadata, "role", "");
        for (Role role : Role.values()) {
            if (role.name().equals(name)) {
                return role;
            }
        }
        damaged(directory.resolve(METADATA), "has the unknown role '" + name + "'");
        return Role.OTHER;
    }

    private Optional<SavedFile> file(Json entry) {
        int mode = (int) entry.at("mode").integer().orElse(0);
        int group = (int) entry.at("group").integer().orElse(0);
        Path path = directory.resolve(FILES).resolve(text(entry, "volume", "?")).resolve(text(entry, "path", "?"));
        Optional<FileStatus> status = disk.status(path);
        FileStatus wanted = new FileStatus(FileStatus.Kind.FILE, permissions(mode), group);
        if (!status.equals(Optional.of(wanted))) {
            damaged(
                    path,
                    "should be " + wanted + " and is "
                            + status.map(FileStatus::toString).orElse("not there"));
            return Optional.empty();
        }
        Content content = Content.of(disk.read(path).orElse(new byte[0]));
        if (!content.digest().equals(text(entry, "sha256", ""))) {
            damaged(path, "was edited or is torn: its digest is of other content");
            return Optional.empty();
        }
        return Optional.of(new SavedFile(text(entry, "volume", "?"), text(entry, "path", "?"), mode, group, content));
    }

    /** An extra file here is an extra file in the understudy's volumes. */
    private void findForeign(Path place, Set<Path> expected) {
        for (String name : disk.list(place)) {
            Path path = place.resolve(name);
            if (isDirectory(path)) {
                findForeign(path, expected);
            } else if (!expected.contains(path)) {
                problems.add(new Problem(
                        ErrorCode.FOREIGN_FILE,
                        path.toString(),
                        "is not part of the checkpoint",
                        "",
                        "move it away if it is not needed"));
            }
        }
    }

    private boolean isDirectory(Path path) {
        return disk.status(path).map(FileStatus::kind).equals(Optional.of(FileStatus.Kind.DIRECTORY));
    }

    private void damaged(Path where, String what) {
        problems.add(new Problem(
                ErrorCode.EDITED_FILE,
                where.toString(),
                what,
                "a file as the keeper wrote it",
                "move the directory of the checkpoint away if it is not needed"));
    }

    private static Json metadata(Checkpoint checkpoint) {
        return Json.object()
                .with("namespace", Json.text(checkpoint.component().namespace()))
                .with("name", Json.text(checkpoint.component().name()))
                .with("role", Json.text(checkpoint.role().name()))
                .with("revision", Json.text(checkpoint.revision().digest()))
                .with("images", Json.texts(List.copyOf(checkpoint.images())))
                .with(
                        "files",
                        Json.items(checkpoint.files().stream()
                                .map(file -> Json.object()
                                        .with("volume", Json.text(file.volume()))
                                        .with("path", Json.text(file.path()))
                                        .with("mode", Json.number(file.mode()))
                                        .with("group", Json.number(file.group()))
                                        .with("sha256", Json.text(file.content().digest())))));
    }

    private static Path pathOf(Path directory, SavedFile file) {
        return directory.resolve(FILES).resolve(file.volume()).resolve(file.path());
    }

    private static String text(Json fields, String name, String fallback) {
        return fields.at(name).text().filter(value -> !value.isEmpty()).orElse(fallback);
    }

    /** As in {@code ls -l}. */
    private static String permissions(int mode) {
        StringBuilder text = new StringBuilder();
        for (int bit = 8; bit >= 0; bit--) {
            text.append((mode >> bit & 1) == 1 ? "rwx".charAt((8 - bit) % 3) : '-');
        }
        return text.toString();
    }
}
