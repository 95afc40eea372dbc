package dev.ouroboros.node.kubelet;

import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Container logs as the kubelet lays them out:
 * {@code /var/log/pods/<namespace>_<pod>_<uid>/<container>/<restart count>.log}, each line
 * {@code <time> <stream> <F|P> <text>} (Kubernetes' CRI logging format). Readable without any API.
 */
public final class PodLogs {
    private final Disk disk;
    private final Path root;

    public PodLogs(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    /** The restart count of the newest container; empty when none of this pod ever ran here. */
    public OptionalInt newestAttempt(String namespace, String pod, String container) {
        return logs(namespace, pod, container).stream().mapToInt(Log::attempt).max();
    }

    /**
     * The end of the newest log that says anything, as {@link LogEnd#of} has it.
     *
     * @param lines how many lines at most
     */
    public String tail(String namespace, String pod, String container, int lines) {
        return tail(logs(namespace, pod, container), lines);
    }

    /** As {@link #tail}, of one pod only: several may have had its name. */
    public String tailOf(String namespace, String pod, String uid, String container, int lines) {
        List<Log> logs = new ArrayList<>();
        add(logs, root.resolve(namespace + "_" + pod + "_" + uid).resolve(container));
        logs.sort(Comparator.comparingInt(Log::attempt));
        return tail(logs, lines);
    }

    private String tail(List<Log> logs, int lines) {
        return newest(logs).map(spoken -> LogEnd.of(spoken.lines(), lines)).orElse("");
    }

    /**
     * The newest log that is not empty.
     *
     * @param lastTime of its last line, as the runtime wrote it: RFC 3339
     */
    public record Spoken(String lastTime, List<String> lines) {
        public Spoken {
            lines = List.copyOf(lines);
        }
    }

    /** Empty when no container of that name ever said anything here. */
    public Optional<Spoken> newest(String namespace, String pod, String container) {
        return newest(logs(namespace, pod, container));
    }

    private Optional<Spoken> newest(List<Log> logs) {
        for (Log log : logs.reversed()) {
            Optional<String> text = disk.readText(log.file()).map(PodLogs::withoutNothing);
            if (text.isPresent() && !text.get().isBlank()) {
                List<String> lines = text.get().lines().toList();
                return Optional.of(new Spoken(
                        lines.getLast().split(" ", 2)[0],
                        lines.stream().map(PodLogs::message).toList()));
            }
        }
        return Optional.empty();
    }

    /** The text without zero bytes: after a power cut a file may have its length, and zeros where its last blocks were not written. */
    private static String withoutNothing(String text) {
        return text.replace("\0", "");
    }

    /** {@code <namespace>_<name>} of a pod by its UID, or empty when it never wrote a log here. */
    public Optional<String> podOf(String uid) {
        String end = "_" + uid;
        return disk.list(root).stream()
                .filter(directory -> directory.endsWith(end))
                .map(directory -> directory.substring(0, directory.length() - end.length()))
                .findFirst();
    }

    private List<Log> logs(String namespace, String pod, String container) {
        String prefix = namespace + "_" + pod + "_";
        List<Log> logs = new ArrayList<>();
        for (String directory : disk.list(root)) {
            if (directory.startsWith(prefix)) {
                add(logs, root.resolve(directory).resolve(container));
            }
        }
        logs.sort(Comparator.comparingInt(Log::attempt));
        return logs;
    }

    private void add(List<Log> logs, Path containerDirectory) {
        for (String name : disk.list(containerDirectory)) {
            attempt(name).ifPresent(attempt -> logs.add(new Log(attempt, containerDirectory.resolve(name))));
        }
    }

    private static OptionalInt attempt(String fileName) {
        return fileName.matches("\\d{1,6}\\.log")
                ? OptionalInt.of(Integer.parseInt(fileName.substring(0, fileName.length() - ".log".length())))
                : OptionalInt.empty();
    }

    private static String message(String line) {
        String[] parts = line.split(" ", 4);
        return parts.length == 4 ? parts[3] : line;
    }

    private record Log(int attempt, Path file) {}
}
