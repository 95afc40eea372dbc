package dev.ouroboros.host;

import dev.ouroboros.core.host.HostFiles;
import dev.ouroboros.core.manifest.CniSettings;
import dev.ouroboros.core.manifest.ContainerdSettings;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What the pods of a kubelet that was stopped leave: containers, mounts, network namespaces, a bridge. */
final class PodRemains {
    /** The namespace that containerd's CRI plugin keeps to itself: every container in it is a kubelet's. */
    private static final String NAMESPACE = "k8s.io";

    private static final String NETWORK_NAMESPACES = "/run/netns";
    private static final String NETWORK_NAMESPACE_PREFIX = "cni-";

    private final HostTree tree;
    private final Processes processes;

    PodRemains(HostTree tree, Processes processes) {
        this.tree = tree;
        this.processes = processes;
    }

    void endContainers() {
        lines(ctr("tasks", "ls", "--quiet").orThrow())
                .forEach(id -> ctr("tasks", "delete", "--force", id).orThrow());
        lines(ctr("containers", "ls", "--quiet").orThrow())
                .forEach(id -> ctr("containers", "delete", id).orThrow());
    }

    /** Secrets and projected volumes are memory that is mounted below the kubelet's directory; the deepest first. */
    void removeMounts() {
        for (String mount : mountsBelow(HostFiles.KUBELET_ROOT)) {
            processes.run(Command.of("umount", mount)).orThrow();
        }
    }

    /** With a pod's namespace its end of the bridge goes, too. */
    void removeNetworks(boolean bridge) {
        networkNamespaces()
                .forEach(name ->
                        processes.run(Command.of("ip", "netns", "delete", name)).orThrow());
        if (bridge && hasBridge()) {
            processes
                    .run(Command.of("ip", "link", "delete", CniSettings.BRIDGE))
                    .orThrow();
        }
    }

    /** What there still is of it. */
    List<String> left(boolean bridge) {
        List<String> left = new ArrayList<>();
        if (tree.disk().status(tree.at(ContainerdSettings.SOCKET)).isPresent()) {
            Result tasks = ctr("tasks", "ls", "--quiet");
            if (tasks.succeeded()) {
                lines(tasks.output()).forEach(id -> left.add("container " + id));
            }
        }
        mountsBelow(HostFiles.KUBELET_ROOT).forEach(mount -> left.add("mount " + mount));
        networkNamespaces().forEach(name -> left.add("network namespace " + name));
        if (bridge && hasBridge()) {
            left.add("network device " + CniSettings.BRIDGE);
        }
        return left;
    }

    boolean isMount(String directory) {
        return tree.isThisMachine() && mounts().contains(directory);
    }

    private List<String> mountsBelow(String directory) {
        return mounts().stream()
                .filter(mount -> mount.startsWith(directory + "/"))
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    private List<String> mounts() {
        return tree.disk().readText(tree.at("/proc/self/mounts")).stream()
                .flatMap(String::lines)
                .map(line -> line.split(" ", 3)[1])
                .toList();
    }

    private List<String> networkNamespaces() {
        return tree.disk().list(tree.at(NETWORK_NAMESPACES)).stream()
                .filter(name -> name.startsWith(NETWORK_NAMESPACE_PREFIX))
                .toList();
    }

    private boolean hasBridge() {
        return tree.disk()
                .status(tree.at("/sys/class/net/" + CniSettings.BRIDGE))
                .isPresent();
    }

    private Result ctr(String... arguments) {
        List<String> all =
                new ArrayList<>(List.of("ctr", "--address", ContainerdSettings.SOCKET, "--namespace", NAMESPACE));
        all.addAll(List.of(arguments));
        return processes.run(Command.of(all));
    }

    private static List<String> lines(String output) {
        return output.lines().filter(line -> !line.isBlank()).toList();
    }
}
