package dev.ouroboros.sandbox.node;

import dev.ouroboros.model.kubelet.KubeletLayout;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Waiting;
import dev.ouroboros.render.manifest.CniSettings;
import dev.ouroboros.render.manifest.ContainerdSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The daemons of a node: containerd and the kubelet. Process 1 keeps them running, also after the node was booted again; this class writes
 * what they read.
 */
public final class Services {
    private static final String CONTAINERD = "containerd";
    private static final String KUBELET = "kubelet";
    private static final Duration CONTAINERD_TIMEOUT = Duration.ofSeconds(60);
    private static final String CONFIGURATION_FILE = "rw-r--r--";
    private static final String DIRECTORY = "rwxr-xr-x";

    private final Processes processes;
    private final Disk disk;
    private final Waiting waiting;

    public Services(Processes processes, Disk disk, InstantSource time) {
        this.processes = processes;
        this.disk = disk;
        this.waiting = new Waiting(time);
    }

    /** Whether this process, and so a node that it makes, may lower the OOM score of a process. */
    public boolean mayLowerOomScore() {
        return disk.readText(Path.of("/proc/self/status"))
                .map(ContainerdSettings::mayLowerOomScore)
                .orElse(false);
    }

    /** Sets up and starts containerd, and waits until it answers. */
    public void startContainerd(RunningNode node, ContainerdSettings containerd, RegistryAccess registryAccess) {
        write(node, NodeLayout.CONTAINERD_CONFIG, containerd.configuration());
        write(node, NodeLayout.CNI_TEMPLATE, CniSettings.template());
        writeRegistries(node, registryAccess);
        if (!registryAccess.proxy().isEmpty() || !hasProxy(node)) {
            writeContainerd(node, registryAccess.proxy());
        }
        node.startService(CONTAINERD);
        awaitContainerd(node);
    }

    /** Sets up and starts containerd as it is on another node, mirrors and proxy included, and waits until it answers. */
    public void startContainerdAs(RunningNode other, RunningNode node) {
        copy(other, node, NodeLayout.CONTAINERD_CONFIG);
        copy(other, node, NodeLayout.CNI_TEMPLATE);
        Path registries = Path.of(RegistryAccess.DIRECTORY);
        for (String registry : disk.list(other.file(registries))) {
            for (String file : disk.list(other.file(registries.resolve(registry)))) {
                copy(other, node, registries.resolve(registry).resolve(file));
            }
        }
        copy(other, node, NodeLayout.SERVICES.resolve(CONTAINERD));
        node.startService(CONTAINERD);
        awaitContainerd(node);
    }

    private void copy(RunningNode from, RunningNode to, Path file) {
        disk.readText(from.file(file)).ifPresent(text -> write(to, file, text));
    }

    /** The image of every pod's first container, as the node's containerd is set up. */
    public Optional<String> pauseImage(RunningNode node) {
        return disk.readText(node.file(NodeLayout.CONTAINERD_CONFIG)).flatMap(ContainerdSettings::pauseImage);
    }

    /**
     * Changes how the containerd of a running node pulls images; pods go on.
     *
     * @return whether anything was changed
     * @throws ProblemException UNSUPPORTED_CLUSTER when the node was made by an ouro that knew no mirrors
     */
    public boolean changeRegistryAccess(RunningNode node, RegistryAccess wanted) {
        boolean changed = false;
        if (wanted.namesRegistries()) {
            if (!disk.readText(node.file(NodeLayout.CONTAINERD_CONFIG))
                    .orElse("")
                    .contains(RegistryAccess.DIRECTORY)) {
                throw ProblemException.of(
                        ErrorCode.UNSUPPORTED_CLUSTER,
                        "--registry-mirror",
                        "this sandbox was made by an ouro whose containerd reads no mirrors",
                        "a sandbox of this ouro",
                        "take it down and up again: ouro down, ouro up --registry-mirror ...");
            }
            changed = writeRegistries(node, wanted);
        }
        Path script = node.file(NodeLayout.SERVICES.resolve(CONTAINERD));
        if (!wanted.proxy().isEmpty() && !disk.readText(script).orElse("").equals(containerdScript(wanted.proxy()))) {
            writeContainerd(node, wanted.proxy());
            node.restartService(CONTAINERD);
            awaitContainerd(node);
            changed = true;
        }
        return changed;
    }

    /** Settings that are given replace the earlier ones; where none are given, those stay. Files that people wrote stay too. */
    private boolean writeRegistries(RunningNode node, RegistryAccess wanted) {
        if (!wanted.namesRegistries()) {
            return false;
        }
        boolean changed = false;
        Map<String, String> files = wanted.files();
        for (Path path : ownRegistryFiles(node)) {
            if (!files.containsKey(path.toString())) {
                disk.delete(node.file(path));
                changed = true;
            }
        }
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = Path.of(file.getKey());
            if (!disk.readText(node.file(path)).map(file.getValue()::equals).orElse(false)) {
                write(node, path, file.getValue());
                changed = true;
            }
        }
        return changed;
    }

    private List<Path> ownRegistryFiles(RunningNode node) {
        List<Path> own = new ArrayList<>();
        for (String name : disk.list(node.file(Path.of(RegistryAccess.DIRECTORY)))) {
            Path hosts = Path.of(RegistryAccess.DIRECTORY, name, "hosts.toml");
            if (disk.status(node.file(hosts)).isPresent()
                    && disk.readText(node.file(hosts)).orElse("").startsWith(RegistryAccess.HEAD)) {
                own.add(hosts);
            }
        }
        Path authority = Path.of(RegistryAccess.AUTHORITY);
        if (disk.status(node.file(authority)).isPresent()) {
            own.add(authority);
        }
        return own;
    }

    private boolean hasProxy(RunningNode node) {
        return disk.readText(node.file(NodeLayout.SERVICES.resolve(CONTAINERD)))
                .orElse("")
                .contains("_PROXY=");
    }

    private void writeContainerd(RunningNode node, ProxyEnvironment proxy) {
        write(node, NodeLayout.SERVICES.resolve(CONTAINERD), containerdScript(proxy));
    }

    private static String containerdScript(ProxyEnvironment proxy) {
        StringBuilder exports = new StringBuilder();
        proxy.variables()
                .forEach((name, value) -> exports.append("export ")
                        .append(name)
                        .append('=')
                        .append(quote(value))
                        .append('\n'));
        return exports + script(List.of(CONTAINERD, "--config", NodeLayout.CONTAINERD_CONFIG.toString()));
    }

    private void awaitContainerd(RunningNode node) {
        Path socket = node.file(NodeLayout.CONTAINERD_SOCKET);
        boolean answers = waiting.until(
                () -> processes
                        // Not "version", which asks for an id that a power cut may have left empty, for ever.
                        .run(Command.of("ctr", "--address", socket.toString(), "namespaces", "list"))
                        .succeeded(),
                CONTAINERD_TIMEOUT);
        if (!answers) {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    CONTAINERD,
                    "does not answer after " + CONTAINERD_TIMEOUT.toSeconds() + " s",
                    "",
                    "see " + CONTAINERD + ".log among the node's logs");
        }
    }

    /** Starts the kubelet that is installed. */
    public void startKubeletAsItWas(RunningNode node) {
        node.startService(KUBELET);
    }

    /** Starts the kubelet, whose files are written; anew where its service was another one before. */
    public void startKubelet(RunningNode node) {
        Optional<String> before = disk.readText(node.file(NodeLayout.KUBELET_SERVICE));
        write(node, NodeLayout.KUBELET_SERVICE, """
                # As After= says it to systemd: a kubelet that finds no runtime ends.
                until ctr --address %s namespaces list >/dev/null 2>&1; do sleep 0.1; done
                date --utc +%%FT%%T.%%3NZ >>%s
                exec /bin/bash %s
                """.formatted(
                NodeLayout.CONTAINERD_SOCKET, NodeLayout.KUBELET_STARTS, KubeletLayout.path(KubeletLayout.START)));
        node.startService(KUBELET);
        if (before.isPresent() && !before.equals(disk.readText(node.file(NodeLayout.KUBELET_SERVICE)))) {
            node.restartService(KUBELET);
        }
    }

    private static String script(List<String> command) {
        return "exec " + command.stream().map(Services::quote).collect(Collectors.joining(" ")) + "\n";
    }

    private void write(RunningNode node, Path inside, String content) {
        Path file = node.file(inside);
        disk.createDirectories(file.resolveSibling("."), DIRECTORY);
        disk.write(file, content.getBytes(StandardCharsets.UTF_8), CONFIGURATION_FILE);
    }

    private static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
