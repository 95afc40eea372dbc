package dev.ouroboros.images.oci;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * SHA-256 digests of files, remembered between runs: hashing the 400 MB of a cluster takes seconds in a short-lived JVM, which
 * compiles the loop without the processor's instructions for it.
 *
 * <p>A digest holds for a file with the same device, inode, size and time of change (ctime, which no program can set). As in
 * git's index, a file that changed less than two seconds ago is not remembered: it could change again in the same tick.
 */
final class FileDigests {
    /** Device, inode, size, time of change, path. */
    private static final Pattern IDENTITY = Pattern.compile("\\d+ \\d+ \\d+ \\S+ (/.*)");

    private static final Duration RACY = Duration.ofSeconds(2);

    private final Disk disk;
    private final InstantSource clock;
    private final Path memory;
    private final SortedMap<String, String> remembered = new TreeMap<>();
    private boolean learned;

    private FileDigests(Disk disk, InstantSource clock, Path memory) {
        this.disk = disk;
        this.clock = clock;
        this.memory = memory;
    }

    /** What {@code memory} has: a line a file, its digest and its identity. A line that is torn matches no file. */
    static FileDigests load(Disk disk, InstantSource clock, Path memory) {
        FileDigests digests = new FileDigests(disk, clock, memory);
        disk.readText(memory).orElse("").lines().forEach(line -> {
            int space = line.indexOf(' ');
            if (space == 64 && IDENTITY.matcher(line.substring(space + 1)).matches()) {
                digests.remembered.put(line.substring(space + 1), line.substring(0, space));
            }
        });
        return digests;
    }

    /** The digest in hexadecimal digits. */
    String of(Path file) {
        try {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,ino,size,ctime");
            String identity = attributes.get("dev") + " " + attributes.get("ino") + " " + attributes.get("size") + " "
                    + attributes.get("ctime") + " " + file.toAbsolutePath();
            Optional<String> known = Optional.ofNullable(remembered.get(identity));
            if (known.isPresent()) {
                return known.get();
            }
            String digest = read(file);
            if (attributes.get("ctime") instanceof FileTime changed
                    && changed.toInstant().isBefore(clock.instant().minus(RACY))) {
                remembered.put(identity, digest);
                learned = true;
            }
            return digest;
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }

    /** Keeps what was learned for the next run; of files that are gone nothing. */
    void save() {
        if (learned) {
            String text = remembered.entrySet().stream()
                    .filter(entry -> Files.exists(pathIn(entry.getKey())))
                    .map(entry -> entry.getValue() + " " + entry.getKey() + "\n")
                    .collect(Collectors.joining());
            disk.write(memory, text.getBytes(StandardCharsets.UTF_8), "rw-r--r--");
            learned = false;
        }
    }

    private static Path pathIn(String identity) {
        Matcher words = IDENTITY.matcher(identity);
        return words.matches() ? Path.of(words.group(1)) : Path.of("");
    }

    private static String read(Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            return Sha256.hex(content);
        }
    }
}
