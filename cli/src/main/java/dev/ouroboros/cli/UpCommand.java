package dev.ouroboros.cli;

import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.render.Renderer;
import dev.ouroboros.sandbox.Sandbox;
import dev.ouroboros.sandbox.up.SnapshotFile;
import dev.ouroboros.sandbox.up.Up;
import dev.ouroboros.sandbox.up.UpOptions;
import dev.ouroboros.sandbox.up.UpResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ouro up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Makes a sandbox: a real Kubernetes on this machine that runs its own control plane.",
        footer = {
            "",
            "Example:",
            "  ouro up && export KUBECONFIG=$(ouro kubeconfig)",
            "  ouro up --snapshot saved.db --encryption-config keys.yaml",
            "",
            "Killed at any moment, it goes on when it is run again. 'ouro down' removes everything."
        })
final class UpCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Mixin
    private SandboxOptions options = new SandboxOptions();

    @Mixin
    private BinaryOptions binaries = new BinaryOptions();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5m",
            converter = DurationConverter.class,
            description = "How long one phase of the pivot may take (default: ${DEFAULT-VALUE}).")
    private Duration timeout = Duration.ZERO;

    @Option(
            names = "--no-start",
            description = "Stop before 'ouro start': a node with a kubelet and etcd, to try 'ouro start' in.")
    private boolean noStart;

    @Option(
            names = "--snapshot",
            paramLabel = "FILE",
            description =
                    "Make the sandbox of an etcd snapshot of one that is lost: the same cluster on a new machine.")
    private Optional<Path> snapshot = Optional.empty();

    @Option(
            names = "--encryption-config",
            paramLabel = "FILE",
            description = "The lost API server's EncryptionConfiguration, for what the snapshot has encrypted.")
    private Optional<Path> encryptionConfig = Optional.empty();

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Sandbox sandbox = options.sandbox();
        UpResult result = up(sandbox, err)
                .run(new UpOptions(
                        binaries.source(),
                        binaries.kubernetesVersion(),
                        binaries.installAllowed(),
                        timeout,
                        !noStart,
                        snapshot.map(file ->
                                new SnapshotFile(file.toAbsolutePath(), SnapshotOptions.keys(encryptionConfig))),
                        InNode.commandLine()));
        switch (result) {
            case WAS_UP -> err.println("sandbox " + sandbox.name() + " is up: nothing to do");
            case NODE_ONLY -> {
                err.println("node " + sandbox.name().node() + " runs a kubelet and etcd. To start its control plane:");
                err.println("  ouro up --name " + sandbox.name());
            }
            case MADE -> {
                String name = sandbox.name().equals(SandboxOptions.DEFAULT_NAME) ? "" : " --name " + sandbox.name();
                err.println("sandbox " + sandbox.name() + " is up. To use it:");
                err.println("  export KUBECONFIG=$(ouro kubeconfig" + name + ")");
                err.println("  ouro exec " + sandbox.name().node() + " -- kubectl get pods -A");
                err.println("  ouro down" + name);
            }
        }
        err.flush();
        return Ouro.EXIT_DONE;
    }

    private static Up up(Sandbox sandbox, PrintWriter err) {
        Processes processes = new LocalProcesses();
        Disk disk = new LocalDisk();
        InstantSource time = InstantSource.system();
        return new Up(
                sandbox,
                new DebianPackages(processes, disk, DebianPackages.DEFAULT_SCRATCH),
                ImagesCommand.images(processes),
                new Renderer(disk, time, new SecureRandom()),
                processes,
                disk,
                time,
                new UpProgress(err, time));
    }
}
