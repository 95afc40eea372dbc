package dev.ouroboros.cli.host;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.console.OutputOptions;
import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.images.BinaryOptions;
import dev.ouroboros.cli.images.RegistryOptions;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.host.HostChanges;
import dev.ouroboros.host.HostRequest;
import dev.ouroboros.host.HostSource;
import dev.ouroboros.host.HostTree;
import dev.ouroboros.host.JoinedCluster;
import dev.ouroboros.host.Preparation;
import dev.ouroboros.host.Preparation.Planned;
import dev.ouroboros.host.Software;
import dev.ouroboros.host.SoftwareSource;
import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostPlan;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.host.decide.HostSettings;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How a machine becomes a node, whatever its cluster is: what {@code prepare} and {@code join} have in common. */
final class NodeSetup {
    @Option(
            names = "--bundle",
            paramLabel = "FILE",
            description = "Take programs and images from what 'ouro images bundle' packed.")
    private Optional<Path> bundle = Optional.empty();

    @Mixin
    private final BinaryOptions binaries = new BinaryOptions();

    @Option(
            names = "--node-name",
            paramLabel = "NAME",
            description = "Name of its Node (default: the one that it was prepared with, else its host name).")
    private Optional<String> nodeName = Optional.empty();

    @Option(
            names = "--node-address",
            paramLabel = "IP",
            description =
                    "Its address (default: the one that it was prepared with, else the one from which it reaches the API server).")
    private Optional<InetAddress> nodeAddress = Optional.empty();

    @Option(
            names = "--no-pod-network",
            description =
                    "Write no pod network: a network add-on of the cluster does. The same on every node; 'join' knows it of the cluster.")
    private boolean noPodNetwork;

    @Option(
            names = "--cgroup-driver",
            paramLabel = "DRIVER",
            description =
                    "systemd or cgroupfs (default: what it was prepared with, else systemd with cgroup v2 and cgroupfs without).")
    private Optional<CgroupDriver> cgroupDriver = Optional.empty();

    @Mixin
    private final RegistryOptions registries = new RegistryOptions();

    @Mixin
    private final HostOptions host = new HostOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    /** What one command does beside the other. */
    interface Occasion {
        /** Refuses what stands against it that the plan cannot know. */
        void check(HostSettings settings);

        /** After everything is in place on this machine; returns what to say. */
        String complete(HostSettings settings);
    }

    HostOptions host() {
        return host;
    }

    /** @param version of Kubernetes that counts when no option names one */
    int run(
            CommandSpec spec,
            HostTree tree,
            HostSource cluster,
            Optional<KubernetesVersion> version,
            Occasion occasion) {
        SoftwareSource source = new SoftwareSource(ThisMachine.images(), ThisMachine.bundles());
        if (bundle.isPresent()) {
            return source.ofBundle(bundle.get(), software -> run(spec, tree, cluster, software, occasion));
        }
        BinaryRequest request = binaries.request(version.map(KubernetesVersion::number), new SpokenLines(spec)::say);
        Software software = host.dryRun() ? source.present(request) : source.made(request);
        return run(spec, tree, cluster, software, occasion);
    }

    private int run(CommandSpec spec, HostTree tree, HostSource cluster, Software software, Occasion occasion) {
        Preparation preparation = new Preparation(tree, ThisMachine.packages(), ThisMachine.processes());
        Planned planned = preparation.plan(request(cluster), software);
        occasion.check(planned.settings());
        if (host.dryRun()) {
            output.print(spec, data(planned, software), () -> text(planned, software, tree));
            return exitCode(planned);
        }
        SpokenLines lines = new SpokenLines(spec);
        if (!host.agreed(text(planned, software, tree), spec)) {
            return ExitCode.FAILED;
        }
        new HostChanges(
                        tree,
                        ThisMachine.processes(),
                        ThisMachine.packages(),
                        InstantSource.system(),
                        host.timeout(),
                        lines::say)
                .apply(planned, software);
        planned.plan().paths(Step.EDITED).forEach(path -> lines.say("kept, because it was edited: " + path));
        lines.say(tree.isThisMachine() ? occasion.complete(planned.settings()) : "done");
        return exitCode(planned);
    }

    private static int exitCode(Planned planned) {
        return planned.plan().paths(Step.EDITED).isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private static boolean hasOurPodNetwork(HostSource cluster) {
        return switch (cluster) {
            case HostSource.Assets _ -> true;
            case JoinedCluster joined -> joined.podNetwork();
        };
    }

    private HostRequest request(HostSource cluster) {
        return new HostRequest(
                cluster,
                nodeName,
                nodeAddress,
                !noPodNetwork && hasOurPodNetwork(cluster),
                cgroupDriver,
                registries.access(),
                binaries.installAllowed());
    }

    private static String text(Planned planned, Software software, HostTree tree) {
        StringBuilder text = new StringBuilder();
        TextTable table = new TextTable("FILE", "STEP", "WHAT FOR");
        for (HostPlan.Entry entry : planned.plan().entries()) {
            table.row(tree.at(entry.path()).toString(), entry.step().words(), entry.purpose());
        }
        text.append(table);
        text.append("packages to install: ")
                .append(planned.missingPackages().isEmpty() ? "none" : String.join(" ", planned.missingPackages()))
                .append('\n');
        if (tree.isThisMachine()) {
            text.append("images to load, where missing: ")
                    .append(software.images().size())
                    .append("\nservices to enable and start: containerd, kubelet\n");
        } else {
            text.append("services to enable: containerd, kubelet\n");
        }
        text.append("Node ")
                .append(planned.settings().nodeName())
                .append(" at ")
                .append(planned.settings().nodeAddress().getHostAddress())
                .append(", Kubernetes ")
                .append(planned.settings().version())
                .append(", control groups by ")
                .append(planned.settings().cgroupDriver().value())
                .append('\n');
        planned.notes().forEach(note -> text.append("note: ").append(note).append('\n'));
        return text.toString();
    }

    private static ObjectNode data(Planned planned, Software software) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("node", planned.settings().nodeName());
        data.put("address", planned.settings().nodeAddress().getHostAddress());
        data.put("kubernetesVersion", planned.settings().version().number());
        data.put("cgroupDriver", planned.settings().cgroupDriver().value());
        ArrayNode files = data.putArray("files");
        for (HostPlan.Entry entry : planned.plan().entries()) {
            files.addObject()
                    .put("path", entry.path())
                    .put("step", entry.step().name().toLowerCase(Locale.ROOT))
                    .put("purpose", entry.purpose())
                    .put("sha256", planned.digests().getOrDefault(entry.path(), ""));
        }
        planned.missingPackages().forEach(data.putArray("packages")::add);
        software.images().forEach(image -> data.withArray("/images").add(image.reference()));
        planned.notes().forEach(data.putArray("notes")::add);
        return data;
    }
}
