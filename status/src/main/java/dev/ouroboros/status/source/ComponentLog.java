package dev.ouroboros.status.source;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.kubelet.LogEnd;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.kubelet.PodLogs.Spoken;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The last words of a component that does not answer, or does not run, from the kubelet's log directory: no API is needed. */
public final class ComponentLog {
    private final Disk disk;
    private final Path root;
    private final ComponentName component;
    /** As in {@code kube-system_ouroboros-keeper-x7k2p_UID}; names of copies that stand in for it do not match. */
    private final Pattern directory;

    public ComponentLog(NodePlace node, Disk disk, ComponentName component) {
        this.disk = disk;
        this.root = node.file("/var/log/pods");
        this.component = component;
        this.directory = Pattern.compile(
                Pattern.quote(component.namespace()) + "_(" + Pattern.quote(component.name()) + "-[^_]+)_.*");
    }

    /**
     * The end of the log of the pod that spoke last. Empty when none ever spoke here.
     *
     * @param lines how many at most
     */
    public Optional<String> tail(int lines) {
        return last().map(spoken -> LogEnd.of(spoken.lines(), lines));
    }

    /** What is wrong, as the pod that spoke last says it. */
    public Optional<String> cause() {
        return last().map(spoken -> LogEnd.cause(spoken.lines()));
    }

    private Optional<Spoken> last() {
        PodLogs logs = new PodLogs(disk, root);
        return disk.list(root).stream()
                .map(directory::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .distinct()
                .flatMap(pod -> logs.newest(component.namespace(), pod, component.name()).stream())
                .max(Comparator.comparing(Spoken::lastTime));
    }
}
