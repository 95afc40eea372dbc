package dev.ouroboros.cli.change;

import dev.ouroboros.change.KeeperRemains;
import dev.ouroboros.change.KeeperRemoval;
import dev.ouroboros.change.KeeperRemoval.Removed;
import dev.ouroboros.cli.cluster.StatusTarget;
import dev.ouroboros.cli.console.DurationConverter;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.namespace.NetworkNamespace;
import dev.ouroboros.status.source.NodePlace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro change remove-keeper}. */
@Command(
        name = "remove-keeper",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Removes the keeper from the cluster with all that it keeps and may do, waits until it is gone, and proves it. The control plane"
                    + " goes on; after a power cut, or when its pods are gone, nobody brings it back any more.",
            "Refused while an understudy stands in or a change is under way. May be killed at any moment: run again, it goes on.",
            "The way back: 'ouro up' for a sandbox; on a host 'ouro start' with the cluster's asset directory."
        },
        footerHeading = "%nExample:%n",
        footer = {"  ouro change remove-keeper --name ouroboros"})
final class RemoveKeeperCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private StatusTarget target = new StatusTarget();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description =
                    "How long one thing is waited for (default: ${DEFAULT-VALUE}); longer than the keeper's --retire-grace.")
    private Duration timeout = Duration.ofMinutes(10);

    @Override
    public Integer call() {
        SpokenLines lines = new SpokenLines(spec);
        Removed removed;
        try (ClusterClient client = ClusterClient.connect(target.requiredEndpoint())) {
            removed = new KeeperRemoval(client, lines, timeout, InstantSource.system()).run(this::remains);
        }
        removed.cleaned().forEach(node -> lines.say("nothing of it is left on node " + node));
        if (!removed.elsewhere().isEmpty()) {
            lines.say("what only their disks show has to be removed on node "
                    + String.join(", ", removed.elsewhere()) + ", where no keeper runs any more: rm -r "
                    + String.join(" ", KeeperRemains.DIRECTORIES));
        }
        lines.say("The keeper is removed. Without one:");
        lines.say(
                "  nobody stands in when the API server, controller manager or scheduler are gone, or after a power cut: 'ouro start' does it by hand");
        lines.say(
                "  a changed template of the API server is tried by nobody before it serves: it counts when its pod is deleted");
        if (removed.hasSeveralNodes()) {
            lines.say(
                    "  the Service goes on leading to the API servers that it names now, also to one that is lost, and a node's label makes no"
                            + " control-plane node; nobody leads a node's clients to another server, or sets routes to the pods of nodes that come");
        }
        lines.say(
                "  the way back: "
                        + target.sandbox()
                                .map(known -> "ouro up --name " + known.name())
                                .orElse("ouro start --asset-dir DIR, on a control-plane node")
                        + "; for good, say 'keeper: {enabled: false}' in the Cluster document, or whoever applies it next puts it back");
        return ExitCode.DONE;
    }

    /** Of every node of a sandbox that runs; else of this machine, if it is one of the cluster's. */
    private List<KeeperRemains> remains() {
        Stream<Evidence<NodePlace>> nodes = target.sandbox()
                .map(known -> known.nodes().stream().map(node -> StatusTarget.node(known, node)))
                .orElseGet(() -> Stream.of(target.node()));
        return nodes.flatMap(node -> node.map(Stream::of).orElse(Stream.empty()))
                .map(place -> new KeeperRemains(
                        place.name(),
                        ThisMachine.disk(),
                        ThisMachine.processes(),
                        place.root(),
                        place.network().map(NetworkNamespace::prefix).orElse(List.of())))
                .toList();
    }
}
