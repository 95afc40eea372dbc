package dev.ouroboros.node.doctor;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Whether the state of pods' networks is cleared at boot. libcni's results and host-local's address reservations are written without being synced: a
 * file that a power cut tore keeps its pod from being torn down, and every later pod of that name from being started.
 */
final class PodNetworkStateCheck implements Check {
    private static final String CHECK = "pod network state";
    private static final Path STATE = Path.of("/var/lib/cni");
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    /** In the order of precedence: a file hides files of the same name in the directories after its own (tmpfiles.d(5)). */
    private static final List<String> RULES = List.of("etc/tmpfiles.d", "run/tmpfiles.d", "usr/lib/tmpfiles.d");

    private final Disk disk;
    private final Path root;

    PodNetworkStateCheck(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    @Override
    public List<Finding> run() {
        String mounts = disk.readText(root.resolve("proc/mounts")).orElse("");
        if (isInMemory(mounts)) {
            return List.of(Finding.ok(CHECK, STATE + " is in memory"));
        }
        boolean systemd = disk.list(root.resolve("run/systemd")).contains("system");
        Optional<String> rule =
                systemd ? rules().filter(PodNetworkStateCheck::clears).findFirst() : Optional.empty();
        return List.of(rule.map(line -> Finding.ok(CHECK, "cleared at boot: " + line))
                .orElseGet(() -> Ailment.POD_NETWORKS_OUTLIVE_A_BOOT.seen(
                        STATE + " outlives a boot",
                        systemd
                                ? "write 'R! " + STATE + "' to /etc/tmpfiles.d/cni.conf"
                                : "mount a tmpfs there, in /etc/fstab: tmpfs " + STATE + " tmpfs mode=0755 0 0")));
    }

    /** Whether the directory is on a file system in memory. Of the mounts above it the deepest counts, and of several at one place the last. */
    private static boolean isInMemory(String mounts) {
        return mounts.lines()
                .map(line -> line.split(" ", -1))
                .filter(words -> words.length > 2 && STATE.startsWith(words[1]))
                .reduce((above, next) -> depth(next) >= depth(above) ? next : above)
                .filter(words -> IN_MEMORY.contains(words[2]))
                .isPresent();
    }

    private static int depth(String... mount) {
        return Path.of(mount[1]).getNameCount();
    }

    private Stream<String> rules() {
        Map<String, Path> files = new TreeMap<>();
        for (String directory : RULES) {
            Path rules = root.resolve(directory);
            disk.list(rules).stream()
                    .filter(name -> name.endsWith(".conf"))
                    .forEach(name -> files.putIfAbsent(name, rules.resolve(name)));
        }
        return files.values().stream()
                .flatMap(file -> disk.readText(file).stream())
                .flatMap(String::lines);
    }

    /** Whether a line clears something at boot: {@code R} removes a path with all below it, {@code D} empties a directory. */
    private static boolean clears(String line) {
        String[] words = line.strip().split("\\s+", -1);
        if (words.length < 2 || !(words[0].startsWith("R") || words[0].startsWith("D"))) {
            return false;
        }
        return STATE.equals(Path.of(words[1])) || Path.of(words[1]).equals(STATE.resolve("*"));
    }
}
