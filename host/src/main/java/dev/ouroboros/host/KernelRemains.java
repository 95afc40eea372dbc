package dev.ouroboros.host;

import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a kubelet, its pods' networks and kube-proxy leave in the kernel: chains of iptables and control groups. */
final class KernelRemains {
    private static final String CONTROL_GROUPS = "/sys/fs/cgroup";
    /** The control group of all pods, as the cgroupfs and the systemd driver name it. */
    private static final List<String> GROUPS = List.of("kubepods", "kubepods.slice");

    /** One program for each family of addresses. */
    private static final List<String> IPTABLES = List.of("iptables", "ip6tables");

    /** A line of iptables-save that makes, fills or calls a chain of Kubernetes or of a CNI plugin. */
    private static final Pattern OF_A_CLUSTER = Pattern.compile("^(:|-A |.* -[jg] )(KUBE|CNI)-.*");

    private final HostTree tree;
    private final Processes processes;
    private final Systemd systemd;

    KernelRemains(HostTree tree, Processes processes, Systemd systemd) {
        this.tree = tree;
        this.processes = processes;
        this.systemd = systemd;
    }

    void removeChains() {
        for (String program : IPTABLES) {
            withoutChains(saved(program))
                    .ifPresent(rest -> processes
                            .run(Command.of(program + "-restore").withInput(rest))
                            .orThrow());
        }
    }

    /** Removes the control groups, whose processes have ended. */
    void removeControlGroups() {
        if (systemd.isActive("kubepods.slice")) {
            systemd.stop("kubepods.slice");
        }
        for (String group : groups()) {
            // The files of a control group go with it, and cannot be removed before. One that is in use stays, and is
            // named in the end.
            processes.run(Command.of("find", group, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"));
        }
    }

    /** The chains and control groups that are still there. */
    List<String> left() {
        List<String> left = new ArrayList<>();
        for (String program : IPTABLES) {
            withoutChains(saved(program)).ifPresent(_ -> left.add("chains KUBE-* or CNI-* of " + program));
        }
        groups().forEach(group -> left.add("control group " + group));
        return left;
    }

    private String saved(String program) {
        String save = program + "-save";
        return tree.disk().status(tree.at("/usr/sbin/" + save)).isPresent()
                ? processes.run(Command.of(save)).orThrow()
                : "";
    }

    /** With cgroup v1 each controller has a tree of its own. */
    private List<String> groups() {
        return Stream.concat(
                        Stream.of(CONTROL_GROUPS),
                        tree.disk().list(tree.at(CONTROL_GROUPS)).stream().map(name -> CONTROL_GROUPS + "/" + name))
                .flatMap(parent -> GROUPS.stream().map(name -> parent + "/" + name))
                .filter(path -> tree.disk().status(tree.at(path)).isPresent())
                .toList();
    }

    /** What iptables-save printed, without the chains of a cluster and the rules that call them; empty when there are none. */
    static Optional<String> withoutChains(String saved) {
        List<String> all = saved.lines().toList();
        List<String> rest = all.stream()
                .filter(line -> !OF_A_CLUSTER.matcher(line).matches())
                .toList();
        return rest.size() == all.size()
                ? Optional.empty()
                : Optional.of(rest.stream().collect(Collectors.joining("\n", "", "\n")));
    }
}
