package dev.ouroboros.status.source;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.PodLogs;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The last words of a keeper that does not answer any more, from the kubelet's log directory. */
public final class KeeperLog {
    private static final String NAMESPACE = "kube-system";
    private static final String KEEPER = "ouroboros-keeper";
    /** {@code kube-system_ouroboros-keeper-x7k2p_UID}. */
    private static final Pattern DIRECTORY = Pattern.compile(NAMESPACE + "_(" + KEEPER + "-[^_]+)_.*");

    private static final Pattern TIME = Pattern.compile("^time=(\\S+) ");

    private final Disk disk;
    private final Path root;

    public KeeperLog(NodePlace node, Disk disk) {
        this.disk = disk;
        this.root = node.file("/var/log/pods");
    }

    /**
     * The end of the log of the copy that spoke last: of the pod from the API or of the static one. Empty when none ever spoke here.
     *
     * @param lines how many at most
     */
    public Optional<String> tail(int lines) {
        PodLogs logs = new PodLogs(disk, root);
        List<String> pods = disk.list(root).stream()
                .map(DIRECTORY::matcher)
                .filter(Matcher::matches)
                .map(directory -> directory.group(1))
                .distinct()
                .toList();
        return pods.stream()
                .map(pod -> logs.tail(NAMESPACE, pod, KEEPER, lines))
                .filter(text -> !text.isBlank())
                .max(Comparator.comparing(KeeperLog::lastTime));
    }

    /** As RFC 3339 in UTC with as many digits, times sort as text to within the second. */
    private static String lastTime(String text) {
        return text.lines()
                .map(TIME::matcher)
                .filter(Matcher::find)
                .map(line -> line.group(1))
                .max(Comparator.naturalOrder())
                .orElse("");
    }
}
