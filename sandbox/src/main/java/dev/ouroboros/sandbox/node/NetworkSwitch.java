package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.sandbox.NodeRecord;
import dev.ouroboros.sandbox.SandboxPaths;
import dev.ouroboros.sandbox.SandboxScripts;
import dev.ouroboros.sandbox.host.CgroupTree;
import dev.ouroboros.sandbox.host.CgroupTree.Leaf;
import dev.ouroboros.sandbox.host.Links;
import dev.ouroboros.sandbox.host.ProcessKiller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * What the nodes of a sandbox and the host are connected by: a bridge in a network namespace of its own. In the host's namespace, frames
 * between nodes would pass the host's filters, which on a machine with Docker drop them (net.bridge.bridge-nf-call-iptables is on wherever
 * br_netfilter is loaded; kernel: Documentation/networking/ip-sysctl.rst).
 *
 * <p>A process that sleeps holds the namespace. It is in the sandbox's control groups, as all of its processes are.
 */
public final class NetworkSwitch {
    private static final String BRIDGE = "switch";
    private static final String HOST_PORT = "host";
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final SandboxPaths paths;
    private final SandboxScripts scripts;
    private final CgroupTree cgroups;
    private final Links links;
    private final ProcessKiller killer;
    private final Processes processes;
    private final Waiting waiting;

    /** @param cgroups of the sandbox */
    public NetworkSwitch(
            SandboxPaths paths,
            CgroupTree cgroups,
            Links links,
            ProcessKiller killer,
            Processes processes,
            Disk disk,
            Waiting waiting) {
        this.paths = paths;
        this.scripts = new SandboxScripts(paths, disk);
        this.cgroups = cgroups;
        this.links = links;
        this.killer = killer;
        this.processes = processes;
        this.waiting = waiting;
    }

    /**
     * Makes what is missing of it, the host's connection included; what is complete stays as it is.
     *
     * @throws ProblemException PROCESS_FAILED when it does not come up, or what is left of an earlier one does not go
     */
    public void ensure(Subnet subnet) {
        if (running().isEmpty()) {
            remove();
            start();
        }
        long pid = running().orElseThrow(this::notRunning);
        String link = paths.name().link();
        if (!links.has(link, paths.name().value()) || !isHostConnected(pid)) {
            links.connect(
                    link, paths.name().value(), pid, HOST_PORT, subnet.hostAddress() + "/" + Subnet.PREFIX_LENGTH);
            // The last step is the sign that all of this is done.
            order(pid, List.of("link set " + HOST_PORT + " master " + BRIDGE + " up"));
        }
    }

    private boolean isHostConnected(long pid) {
        return processes
                .run(in(pid, Command.of("ip", "link", "show", HOST_PORT, "up", "master", BRIDGE)))
                .output()
                .contains(HOST_PORT);
    }

    /** Whether the node is connected. */
    public boolean isConnected(NodeRecord node) {
        return running()
                .map(pid -> processes
                        .run(in(pid, Command.of("ip", "link", "show", node.port())))
                        .succeeded())
                .orElse(false);
    }

    /**
     * Connects a node, whose end is called {@code eth0}; it has no address yet. Its hardware address is always the same, as that of a machine:
     * others remember it.
     */
    public void connect(Subnet subnet, NodeRecord node, long firstProcess) {
        disconnect(node);
        // What connected it to a switch that has ended: the kernel takes such things away in its own time.
        processes.run(in(firstProcess, Command.of("ip", "link", "delete", "eth0")));
        String hardware = "02:6f:75:72:%02x:%02x".formatted(subnet.number(), node.number());
        order(
                running().orElseThrow(this::notRunning),
                List.of(
                        "link add %s type veth peer name eth0 address %s netns %d"
                                .formatted(node.port(), hardware, firstProcess),
                        "link set %s master %s up".formatted(node.port(), BRIDGE)));
    }

    /**
     * Takes a node's connection away: nothing gets out of it from now on.
     *
     * @throws ProblemException PROCESS_FAILED when it stays
     */
    public void disconnect(NodeRecord node) {
        Optional<Long> pid = running().filter(_ -> isConnected(node));
        if (pid.isPresent()) {
            Result result = processes.run(in(pid.get(), Command.of("ip", "link", "delete", node.port())));
            // The kernel may have taken it away meanwhile, with the namespace of the node.
            if (!result.succeeded() && isConnected(node)) {
                result.orThrow();
            }
        }
    }

    /**
     * Splits it, in place of an earlier split; a node that boots meanwhile finds it so.
     *
     * @throws ProblemException PROCESS_FAILED when no node runs, or the kernel cannot filter at bridges
     */
    public void split(NetworkSplit split) {
        filter(split.rules());
    }

    /** Takes a split away, if there is one. */
    public void heal() {
        filter(NetworkSplit.HEAL);
    }

    private void filter(String rules) {
        processes
                .run(in(
                        running().orElseThrow(this::notRunning),
                        Command.of("nft", "-f", "-").withInput(rules)))
                .orThrow();
    }

    /**
     * Removes it, and what connects the host to it.
     *
     * @throws ProblemException PROCESS_FAILED when its process does not end
     */
    public void remove() {
        List<String> left = killer.kill(cgroups, Leaf.SWITCH);
        links.disconnect(paths.name().link(), paths.name().value());
        if (!left.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    "network of sandbox " + paths.name(),
                    "cannot be removed: there is still " + String.join(", ", left),
                    "",
                    "end what holds it, then run the same command again");
        }
    }

    /** The process that holds the namespace, when the bridge in it is there. */
    private Optional<Long> running() {
        return cgroups.processes(Leaf.SWITCH).stream()
                .filter(NetworkSwitch::isInNamespaceOfItsOwn)
                .filter(pid -> processes
                        .run(in(pid, Command.of("ip", "link", "show", BRIDGE, "up")))
                        .output()
                        .contains(BRIDGE))
                .findFirst();
    }

    /** One that has just been started is still in ours. */
    private static boolean isInNamespaceOfItsOwn(long pid) {
        try {
            return !Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "ns/net"))
                    .equals(Files.readSymbolicLink(Path.of("/proc/self/ns/net")));
        } catch (NoSuchFileException _) {
            // It has ended.
            return false;
        } catch (IOException e) {
            throw FileTrouble.of(Path.of("/proc", Long.toString(pid), "ns/net"), "cannot be read", e);
        }
    }

    private void start() {
        scripts.install();
        cgroups.create(EnumSet.of(Leaf.SWITCH));
        List<String> command = new ArrayList<>(List.of(
                "/bin/bash", paths.launchScript().toString(), paths.switchLog().toString()));
        cgroups.paths(Leaf.SWITCH).forEach(leaf -> command.add(leaf.toString()));
        command.addAll(List.of(
                "--", "unshare", "--net", "/bin/bash", paths.switchScript().toString(), BRIDGE));
        processes.run(Command.of(command)).orThrow();
        if (!waiting.until(() -> running().isPresent(), START_TIMEOUT)) {
            throw notRunning();
        }
    }

    private void order(long pid, List<String> orders) {
        processes
                .run(in(pid, Command.of("ip", "-batch", "-").withInput(String.join("\n", orders) + "\n")))
                .orThrow();
    }

    private static Command in(long pid, Command command) {
        return command.behind(List.of("nsenter", "--target", Long.toString(pid), "--net"));
    }

    private ProblemException notRunning() {
        return ProblemException.of(
                ErrorCode.PROCESS_FAILED,
                "network of sandbox " + paths.name(),
                "has no switch: its process did not start, or was ended",
                "",
                "see " + paths.switchLog() + ", then run 'ouro up --name " + paths.name() + "'");
    }
}
