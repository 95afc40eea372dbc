package dev.ouroboros.cli.cluster;

import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.kubelet.NodeName;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.SandboxApi;
import dev.ouroboros.sandbox.SandboxNode;
import dev.ouroboros.sandbox.SandboxRecord;
import dev.ouroboros.sandbox.node.NodeLayout;
import dev.ouroboros.status.source.NodePlace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The cluster that a command looks at: a sandbox by its name, the cluster of a kubeconfig, or that of the node that this machine is. What is missing
 * is no error here: to show that is the command's purpose.
 */
public final class StatusTarget {
    /** Files by which a node of ours, or a control-plane node of kubeadm or others, is known. */
    private static final List<Path> NODE_FILES = List.of(
            Path.of(StateLayout.path(StateLayout.KEEPER)),
            Path.of(StateLayout.path(StateLayout.CHECKPOINTS)),
            NodeLayout.MANIFESTS);

    @Mixin
    private SandboxOptions sandbox = new SandboxOptions();

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "The cluster to ask. Default: the sandbox's with --name, $KUBECONFIG, ~/.kube/config, this node's.")
    private Optional<Path> kubeconfig = Optional.empty();

    /** Whether a cluster was named on the command line. */
    public boolean isGiven() {
        return kubeconfig.isPresent() || sandbox.givenName().isPresent();
    }

    /** The API to ask. */
    public Evidence<Endpoint> endpoint() {
        Optional<Sandbox> named = sandbox();
        Optional<Path> file = kubeconfig.or(StatusTarget::ofEnvironment);
        try {
            if (kubeconfig.isEmpty() && named.isPresent()) {
                return Evidence.known(SandboxApi.endpoint(named.get()));
            }
            return file.<Evidence<Endpoint>>map(found -> Evidence.known(KubeconfigFile.read(found, Optional.empty())))
                    .orElseGet(() -> Evidence.unknown(
                            "no kubeconfig: give --kubeconfig FILE or --name SANDBOX, or set KUBECONFIG"));
        } catch (ProblemException e) {
            return Evidence.unknown("kubeconfig " + e.problems().getFirst().describe());
        }
    }

    /**
     * The API to ask, for commands that cannot do without.
     *
     * @throws ProblemException with what is missing
     */
    public Endpoint requiredEndpoint() {
        return switch (endpoint()) {
            case Evidence.Known<Endpoint>(Endpoint known) -> known;
            case Evidence.Unknown<Endpoint>(String why) ->
                throw ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        "cluster",
                        why,
                        "a kubeconfig",
                        "ouro kubeconfig prints where a sandbox has its own; an asset directory has auth/kubeconfig");
        };
    }

    /**
     * Checks before a long wait: a kubeconfig that was given and cannot be used will stay so, while a sandbox's own may be yet to come.
     *
     * @throws ProblemException with what is wrong with it
     */
    public void requireUsableKubeconfig() {
        if (kubeconfig.isPresent()) {
            requiredEndpoint();
        }
    }

    private static Optional<Path> ofEnvironment() {
        return Stream.of(
                        KubeconfigVariable.read(),
                        existing(Path.of(System.getProperty("user.home"), ".kube/config")),
                        existing(NodeLayout.ASSETS.resolve("auth/kubeconfig")))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<Path> existing(Path file) {
        return Files.exists(file) ? Optional.of(file) : Optional.empty();
    }

    /** The sandbox that was named. */
    public Optional<Sandbox> sandbox() {
        return sandbox.givenName().map(_ -> sandbox.existing());
    }

    /** What to do when neither the API nor a node says anything. */
    public String nextWithoutAnswer() {
        Optional<Sandbox> named = sandbox();
        if (named.isPresent()) {
            boolean running = named.get().node().isPresent();
            return running && isComplete(named.get())
                    ? "see its logs: " + named.get().first().paths().logs()
                    : start(new SandboxOptions.Found(named.get(), named.get().first()));
        }
        return kubeconfig
                .map(file -> "see that " + file + " is right and its server can be reached, or run this on its node")
                .orElse(
                        "name a cluster with --kubeconfig FILE or --name SANDBOX (ouro nodes lists them), or run this on its node");
    }

    private static String start(SandboxOptions.Found found) {
        Sandbox sandbox = found.sandbox();
        return isComplete(sandbox)
                ? "ouro reboot " + found.node().name() + " boots it"
                : "it was not made to its end, ouro up --name " + sandbox.name() + " goes on";
    }

    private static boolean isComplete(Sandbox sandbox) {
        return sandbox.record().map(SandboxRecord::complete).orElse(false);
    }

    /** The node to look at, without the API. */
    public Evidence<NodePlace> node() {
        return node(sandbox);
    }

    /** As {@link #node()}, unless another was named. */
    public Evidence<NodePlace> node(NodeOption named) {
        return named.of(sandbox);
    }

    /** The nodes of a sandbox but the first, by name; of another cluster none can be looked at from here. */
    public SortedMap<String, Evidence<NodePlace>> otherNodes() {
        SortedMap<String, Evidence<NodePlace>> others = new TreeMap<>();
        sandbox()
                .ifPresent(named -> named.nodes().stream()
                        .filter(node -> !node.name().equals(named.first().name()))
                        .forEach(node -> others.put(node.name(), node(named, node))));
        return others;
    }

    /** The first node of a sandbox. */
    public static Evidence<NodePlace> node(Sandbox sandbox) {
        return node(new SandboxOptions.Found(sandbox, sandbox.first()));
    }

    /** A node of a sandbox. */
    public static Evidence<NodePlace> node(Sandbox sandbox, SandboxNode node) {
        return node(new SandboxOptions.Found(sandbox, node));
    }

    static Evidence<NodePlace> node(SandboxOptions.Found found) {
        String name = found.node().name();
        return found.node()
                .running()
                .<Evidence<NodePlace>>map(running -> Evidence.known(NodePlace.ofProcess(name, running.pid())))
                .orElseGet(() -> Evidence.unknown("node " + name + " does not run: " + start(found)));
    }

    public static Evidence<NodePlace> node(SandboxOptions sandbox) {
        if (sandbox.givenName().isPresent()) {
            return node(sandbox.existing());
        }
        if (NODE_FILES.stream().noneMatch(Files::exists)) {
            return Evidence.unknown("this machine is no control-plane node; for what only a node knows, ask there");
        }
        try {
            return NodeName.ofThisMachine(ThisMachine.disk())
                    .<Evidence<NodePlace>>map(name -> Evidence.known(NodePlace.here(name)))
                    .orElseGet(() -> Evidence.unknown("this machine has no host name"));
        } catch (ProblemException e) {
            return Evidence.unknown(
                    "this machine's name: " + e.problems().getFirst().describe());
        }
    }
}
