package dev.ouroboros.cli.host;

import dev.ouroboros.host.HostSource;
import dev.ouroboros.host.HostTree;
import dev.ouroboros.host.Preparation;
import dev.ouroboros.host.decide.HostSettings;
import java.nio.file.Path;
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
            "  ouro host prepare --asset-dir assets --registry-mirror https://mirror.example:5000 --registry-ca ca.crt"
        })
final class HostPrepareCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Option(names = "--asset-dir", required = true, paramLabel = "DIR", description = "What 'ouro render' wrote.")
    private Path assets = Path.of("");

    @Mixin
    private final NodeSetup setup = new NodeSetup();

    @Override
    public Integer call() {
        HostTree tree = setup.host().tree();
        setup.host().require(tree);
        return setup.host().dryRun() ? prepare(tree) : tree.exclusively(() -> prepare(tree));
    }

    private int prepare(HostTree tree) {
        Path directory = assets.toAbsolutePath().normalize();
        return setup.run(
                spec,
                tree,
                new HostSource.Assets(directory),
                Preparation.versionOf(tree.disk(), directory),
                new NodeSetup.Occasion() {
                    @Override
                    public void check(HostSettings settings) {
                        // The plan has checked everything already.
                    }

                    @Override
                    public String complete(HostSettings settings) {
                        return "done; next: ouro start --asset-dir " + assets;
                    }
                });
    }
}
