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

    /** The restart count of the newest container, or empty when none of this pod ever ran here. */
    public OptionalInt newestAttempt(String namespace, String pod, String container) {
        return logs(namespace, pod, container).stream().mapToInt(Log::attempt).max();
    }

    /**
     * The end of the newest log that says anything. A program that first says what is wrong and then how it is used, as Kubernetes'
     * do, has what is wrong in front of it.
     *
     * @param lines how many lines at most, without that one
     */
    public String tail(String namespace, String pod, String container, int lines) {
        return tail(logs(namespace, pod, container), lines);
    }

    /** The same of one pod only, of several that had its name. */
    public String tailOf(String namespace, String pod, String uid, String container, int lines) {
        List<Log> logs = new ArrayList<>();
        add(logs, root.resolve(namespace + "_" + pod + "_" + uid).resolve(container));
        logs.sort(Comparator.comparingInt(Log::attempt));
        return tail(logs, lines);
    }

    private String tail(List<Log> logs, int lines) {
        List<Log> newestFirst = logs.reversed();
        for (Log log : newestFirst) {
            Optional<String> text = disk.readText(log.file());
            if (text.isPresent() && !text.get().isBlank()) {
                return end(text.get().lines().map(PodLogs::message).toList(), lines);
            }
        }
        return "";
    }

    private static String end(List<String> all, int lines) {
        int begin = Math.max(0, all.size() - lines);
        List<String> shown = new ArrayList<>();
        all.subList(0, begin).stream()
                .filter(line -> line.startsWith("Error: ") || line.startsWith("error: "))
                .reduce((_, later) -> later)
                .ifPresent(error -> shown.addAll(List.of(error, "...")));
        shown.addAll(all.subList(begin, all.size()));
        return String.join("\n", shown);
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
