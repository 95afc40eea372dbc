package dev.ouroboros.cli.images;

import dev.ouroboros.cli.console.SpokenLines;
import dev.ouroboros.cli.program.ExitCode;
import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.oci.ContainerImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro images bundle}. */
@Command(
        name = "bundle",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Packs the images and the node's programs into one file with checksums, for hosts without a network.",
        footerHeading = "%nExample:%n",
        footer = {
            "  ouro images bundle kubernetes.tar --binaries ./kubernetes",
            "  ouro images load --bundle kubernetes.tar --programs /usr/local/bin --address /run/containerd/containerd.sock"
        })
final class ImagesBundleCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file to write: a tar archive.")
    private Path file = Path.of("");

    @Mixin
    private final BinaryOptions options = new BinaryOptions();

    @Override
    public Integer call() {
        Progress progress = new SpokenLines(spec)::say;
        ImagesModule images = ThisMachine.images();
        Binaries binaries = images.binaries().resolve(options.request(Optional.empty(), progress));
        List<ContainerImage> built = images.builder().build(binaries, progress);
        long bytes = ThisMachine.bundles().write(file, binaries, built);
        progress.say("packed %d images of Kubernetes %s: %s, %.1f MB"
                .formatted(built.size(), binaries.kubernetesVersion(), file, bytes / 1e6));
        return ExitCode.DONE;
    }
}
