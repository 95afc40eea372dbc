package dev.ouroboros.recovery;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The directory that a recovery writes, and what is in it already. */
public final class RecoveryDirectory {
    private static final String READABLE_FILE = "rw-r--r--";
    private static final List<String> TOP = List.of(
            AssetLayout.AUTH, AssetLayout.TLS, AssetLayout.BOOTSTRAP_MANIFESTS, AssetLayout.MANIFESTS, ".ouroboros");

    /** There while a directory is being written. */
    private static final String BEGUN = ".ouroboros/recovery-begun";

    private final Disk disk;
    private final Path root;

    public RecoveryDirectory(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    /** How a file is to change. */
    public enum Kind {
        NEW,
        CHANGED,
        SAME,
        /** It is in the directory, and is no part of what was recovered. */
        REMOVED
    }

    public record Difference(Kind kind, String path) {}

    /** Whether a recovery was written to its end. */
    public boolean isComplete() {
        return disk.read(root.resolve(AssetLayout.RECOVERY)).isPresent();
    }

    /**
     * What a complete directory says of its cluster.
     *
     * @param version of the API server
     * @param serviceRange {@code --service-cluster-ip-range}
     */
    public record Facts(String version, String serviceRange) {}

    /** Empty when no recovery was written here to its end. */
    public Optional<Facts> facts() {
        return disk.readText(root.resolve(AssetLayout.RECOVERY)).map(text -> {
            try {
                Json marker = JsonText.read(text);
                return new Facts(
                        marker.at("version").text().orElse(""),
                        marker.at("serviceRange").text().orElse(""));
            } catch (MalformedJson e) {
                throw new ProblemException(
                        new Problem(
                                ErrorCode.INVALID_ASSET_DIRECTORY,
                                root.resolve(AssetLayout.RECOVERY).toString(),
                                "is not what a recovery wrote: " + e.getMessage(),
                                "",
                                "recover again"),
                        e);
            }
        });
    }

    /** Texts of what is there, by path. */
    public Map<String, String> existing() {
        Map<String, String> texts = new TreeMap<>();
        contents().forEach((path, content) -> texts.put(path, new String(content.bytes(), StandardCharsets.UTF_8)));
        return texts;
    }

    private Map<String, Content> contents() {
        Map<String, Content> contents = new TreeMap<>();
        TOP.forEach(directory -> collect(root.resolve(directory), contents));
        contents.remove(BEGUN);
        return contents;
    }

    private void collect(Path directory, Map<String, Content> contents) {
        for (String name : disk.list(directory)) {
            Path file = directory.resolve(name);
            Optional<FileStatus> status = disk.status(file);
            if (status.isPresent() && status.get().kind() == FileStatus.Kind.DIRECTORY) {
                collect(file, contents);
            } else {
                disk.read(file)
                        .ifPresent(bytes -> contents.put(root.relativize(file).toString(), Content.of(bytes)));
            }
        }
    }

    /** What {@link #write} would do, in the order of paths. */
    public List<Difference> compare(List<AssetFile> files) {
        Map<String, Content> before = contents();
        Map<String, Kind> kinds = new TreeMap<>();
        before.keySet().forEach(path -> kinds.put(path, Kind.REMOVED));
        for (AssetFile file : files) {
            Content known = before.get(file.path());
            kinds.put(file.path(), known == null ? Kind.NEW : known.equals(file.content()) ? Kind.SAME : Kind.CHANGED);
        }
        List<Difference> differences = new ArrayList<>();
        kinds.forEach((path, kind) -> differences.add(new Difference(kind, path)));
        return differences;
    }

    /**
     * Refuses a directory that somebody else wrote: writing a recovery removes all files that are no part of it, and somebody else's may
     * be keys.
     *
     * @throws ProblemException FOREIGN_FILE
     */
    public void requireOwn() {
        boolean ours = isComplete() || disk.read(root.resolve(BEGUN)).isPresent();
        if (!ours && !contents().isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.FOREIGN_FILE,
                    root.toString(),
                    "has files that no recovery wrote",
                    "an empty directory, or one of an earlier recovery",
                    "recover into another directory");
        }
    }

    /**
     * Makes the directory hold exactly these files. The file that marks it complete is removed first and written last: a directory that
     * was left half written is known as such.
     */
    public void write(List<AssetFile> files) {
        requireOwn();
        disk.createDirectories(root.resolve(BEGUN).resolveSibling(".").normalize(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(root.resolve(BEGUN), new byte[0], Disk.OWNER_ONLY_FILE);
        disk.delete(root.resolve(AssetLayout.RECOVERY));
        for (Difference difference : compare(files)) {
            if (difference.kind() == Kind.REMOVED) {
                disk.delete(root.resolve(difference.path()));
            }
        }
        for (AssetFile file : files) {
            if (!file.path().equals(AssetLayout.RECOVERY)) {
                write(file);
            }
        }
        files.stream().filter(file -> file.path().equals(AssetLayout.RECOVERY)).forEach(this::write);
        disk.delete(root.resolve(BEGUN));
    }

    private void write(AssetFile file) {
        Path target = root.resolve(file.path());
        disk.createDirectories(target.resolveSibling(".").normalize(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(target, file.content().bytes(), file.secret() ? Disk.OWNER_ONLY_FILE : READABLE_FILE);
    }
}
