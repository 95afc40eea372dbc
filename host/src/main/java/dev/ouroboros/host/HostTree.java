package dev.ouroboros.host;

import dev.ouroboros.host.decide.HostFile;
import dev.ouroboros.host.decide.HostRecord;
import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The files of a host: of this machine, or of one whose disk is being made.
 *
 * @param root the host's root directory
 */
public record HostTree(Disk disk, Path root) {
    private static final String DIRECTORY = "rwxr-xr-x";

    public HostTree {
        root = root.toAbsolutePath().normalize();
    }

    /** Whether it is the machine that this runs on. */
    public boolean isThisMachine() {
        return root.equals(Path.of("/"));
    }

    /** Where a path of the host is for us. */
    public Path at(String path) {
        return root.resolve(path.substring(1));
    }

    /** Does something while nobody else prepares or resets this host; refused with LOCKED while somebody does. */
    public <T> T exclusively(Supplier<T> work) {
        disk.createDirectories(at("/run"), DIRECTORY);
        try (ExclusiveLock _ = ExclusiveLock.acquire(at("/run/ouroboros-host.lock"), "ouro host")) {
            return work.get();
        }
    }

    public HostRecord record() {
        Path file = at(HostRecord.FILE);
        return disk.readText(file)
                .map(text -> HostRecord.parse(text, file.toString()))
                .orElseGet(HostRecord::empty);
    }

    void save(HostRecord record) {
        Path file = at(HostRecord.FILE);
        disk.createDirectories(file.resolveSibling(".").normalize(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(file, record.json(), Disk.OWNER_ONLY_FILE);
    }

    /** The digests of those of these files that exist. A symbolic link or a directory has none: we write neither. */
    Map<String, String> digests(Collection<String> paths) {
        Map<String, String> digests = new TreeMap<>();
        for (String path : paths) {
            disk.status(at(path))
                    .ifPresent(status -> digests.put(
                            path,
                            status.kind() == FileStatus.Kind.FILE
                                    ? digest(at(path))
                                    : status.kind().name()));
        }
        return digests;
    }

    static String digest(HostFile file) {
        return switch (file.content()) {
            case HostFile.Content.Text(String value) -> Sha256.hex(value);
            case HostFile.Content.Copy(String source) -> digest(Path.of(source));
        };
    }

    private static String digest(Path file) {
        try (InputStream content = Files.newInputStream(file)) {
            return Sha256.hex(content);
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }

    void write(HostFile file) {
        switch (file.content()) {
            case HostFile.Content.Text(String value) ->
                disk.write(at(file.path()), value.getBytes(StandardCharsets.UTF_8), file.permissions());
            case HostFile.Content.Copy(String source) ->
                disk.copy(Path.of(source), at(file.path()), file.permissions());
        }
    }

    /** The directories above a file that do not exist, the topmost first. */
    Deque<String> missingDirectories(String path) {
        Deque<String> missing = new ArrayDeque<>();
        Path directory = Path.of(path).getParent();
        while (directory != null && disk.status(at(directory.toString())).isEmpty()) {
            missing.addFirst(directory.toString());
            directory = directory.getParent();
        }
        return missing;
    }

    /** Creates a directory; one that holds secrets only its owner may enter. */
    void createDirectory(String path, boolean secret) {
        disk.createDirectories(at(path), secret ? Disk.OWNER_ONLY_DIRECTORY : DIRECTORY);
    }
}
