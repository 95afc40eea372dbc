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
import dev.ouroboros.host.HostTree;
import dev.ouroboros.host.Preparation;
import dev.ouroboros.host.Preparation.Planned;
import dev.ouroboros.host.Software;
import dev.ouroboros.host.SoftwareSource;
import dev.ouroboros.host.decide.CgroupDriver;
import dev.ouroboros.host.decide.HostPlan;
import dev.ouroboros.host.decide.HostPlan.Step;
import dev.ouroboros.host.decide.HostSettings.Role;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.model.version.KubernetesVersion;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro host prepare}. */
@Command(
        name = "prepare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Makes this machine a node on which 'ouro start' can run: containerd, the kubelet, etcd, the kernel's settings.",
            "It says what it would write and install, and asks. It never overwrites a file that it did not write, nor one that"
                    + " was edited since; those it names, with exit code 3."
        },
        footerHeading = "%nExample:%n",
        footer = {
            "  ouro host prepare --asset-dir assets",
            "  ouro host prepare --asset-dir assets --bundle bundle.tar --yes",
            "  ouro host prepare --asset-dir assets --registry-mirror https://mirror.example:5000 --registry-ca ca.crt",
            "  ouro host prepare --asset-dir joining --worker --no-pod-network"
        })
final class HostPrepareCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(
            names = "--asset-dir",
            required = true,
            paramLabel = "DIR",
            description = "What 'ouro render' wrote; a worker needs three files of it.")
    private Path assets = Path.of("");

    @Option(names = "--worker", description = "A node that joins a cluster, without etcd.")
    private boolean worker;

    @Option(
            names = "--bundle",
            paramLabel = "FILE",
            description = "Take programs and images from what 'ouro images bundle' packed.")
    private Optional<Path> bundle = Optional.empty();

    @Mixin
    private final BinaryOptions binaries = new BinaryOptions();

    @Option(names = "--node-name", paramLabel = "NAME", description = "Name of its Node (default: its host name).")
    private Optional<String> nodeName = Optional.empty();

    @Option(
            names = "--node-address",
            paramLabel = "IP",
            description = "Its address (default: the one from which it reaches the API server).")
    private Optional<InetAddress> nodeAddress = Optional.empty();

    @Option(
            names = "--no-pod-network",
            description = "Write no pod network: a network add-on of the cluster does. Needed by more than one node.")
    private boolean noPodNetwork;

    @Option(
            names = "--cgroup-driver",
            paramLabel = "DRIVER",
            description = "systemd or cgroupfs (default: systemd with cgroup v2, else cgroupfs).")
    private Optional<CgroupDriver> cgroupDriver = Optional.empty();

    @Mixin
    private final RegistryOptions registries = new RegistryOptions();

    @Mixin
    private final HostOptions host = new HostOptions();

    @Mixin
    private final OutputOptions output = new OutputOptions();

    @Override
    public Integer call() {
        HostTree tree = host.tree();
        host.require(tree);
        return host.dryRun() ? prepare(tree) : tree.exclusively(() -> prepare(tree));
    }

    private int prepare(HostTree tree) {
        SoftwareSource source = new SoftwareSource(ThisMachine.images(), ThisMachine.bundles());
        if (bundle.isPresent()) {
            return source.ofBundle(bundle.get(), software -> prepare(tree, software));
        }
        // Of the asset directory's version, unless another one is asked for.
        Optional<String> version = Preparation.versionOf(tree.disk(), assets).map(KubernetesVersion::number);
        BinaryRequest request = binaries.request(version, new SpokenLines(spec)::say);
        return prepare(tree, host.dryRun() ? source.present(request) : source.made(request));
    }

    private int prepare(HostTree tree, Software software) {
        Preparation preparation = new Preparation(tree, ThisMachine.packages(), ThisMachine.processes());
        Planned planned = preparation.plan(request(), software);
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
        lines.say(tree.isThisMachine() && !worker ? "done; next: ouro start --asset-dir " + assets : "done");
        return exitCode(planned);
    }

    private static int exitCode(Planned planned) {
        return planned.plan().paths(Step.EDITED).isEmpty() ? ExitCode.DONE : ExitCode.FINDINGS;
    }

    private HostRequest request() {
        return new HostRequest(
                assets.toAbsolutePath().normalize(),
                worker ? Role.WORKER : Role.CONTROL_PLANE,
                nodeName,
                nodeAddress,
                !noPodNetwork,
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
