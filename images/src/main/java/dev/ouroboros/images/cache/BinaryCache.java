package dev.ouroboros.images.cache;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Entries of binaries: {@code NAME/bin/} and {@code NAME/versions}, a {@code project=version} a line. Reading one costs a few
 * system calls; no program is run.
 */
public final class BinaryCache {
    private static final String VERSIONS = "versions";

    private final Disk disk;
    private final Path directory;
    private final String origin;

    /** Entries in {@code directory}; {@code origin} says for people where all of them are from. */
    public BinaryCache(Disk disk, Path directory, String origin) {
        this.disk = disk;
        this.directory = directory;
        this.origin = origin;
    }

    /** Complete entries, the newest Kubernetes first. */
    public List<Binaries> entries() {
        return disk.list(directory).stream()
                .filter(name -> !name.startsWith("."))
                .flatMap(name -> read(name).stream())
                .sorted((one, other) ->
                        VersionOrder.INSTANCE.compare(other.kubernetesVersion(), one.kubernetesVersion()))
                .toList();
    }

    /** The entry to use for a version, or for whichever is newest. */
    public Optional<Binaries> find(Optional<String> kubernetesVersion) {
        return entries().stream()
                .filter(entry ->
                        kubernetesVersion.isEmpty() || kubernetesVersion.get().equals(entry.kubernetesVersion()))
                .findFirst();
    }

    /**
     * Makes a work directory with all binaries in its {@code bin} an entry.
     *
     * @param work in the same file system, usually beside the entries with a name that begins with a dot
     */
    public Binaries publish(Path work, String name, Map<Binary.Project, String> versions) {
        String text = versions.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey().name() + "=" + entry.getValue() + "\n")
                .collect(Collectors.joining());
        disk.write(work.resolve(VERSIONS), text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
        disk.rename(work, directory.resolve(name));
        return read(name).orElseThrow(() -> new IllegalStateException("incomplete entry published: " + name));
    }

    private Optional<Binaries> read(String name) {
        Path entry = directory.resolve(name);
        Map<String, String> versions = disk.readText(entry.resolve(VERSIONS)).stream()
                .flatMap(String::lines)
                .map(line -> line.split("=", 2))
                .filter(parts -> parts.length == 2)
                .collect(Collectors.toMap(
                        parts -> parts[0], parts -> parts[1], (first, second) -> second, LinkedHashMap::new));
        Map<Binary, Path> files = new EnumMap<>(Binary.class);
        for (Binary binary : Binary.values()) {
            Path file = entry.resolve("bin").resolve(binary.fileName());
            if (Files.isExecutable(file)) {
                files.put(binary, file);
            } else if (binary.required()) {
                return Optional.empty();
            }
        }
        String kubernetes = versions.get(Binary.Project.KUBERNETES.name());
        String etcd = versions.get(Binary.Project.ETCD.name());
        if (kubernetes == null || etcd == null) {
            return Optional.empty();
        }
        return Optional.of(new Binaries(origin + " " + name, kubernetes, etcd, files, List.of()));
    }
}
