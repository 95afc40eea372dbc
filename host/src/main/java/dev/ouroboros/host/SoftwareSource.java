package dev.ouroboros.host;

import dev.ouroboros.images.ImagesModule;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.oci.ContainerImage;
import dev.ouroboros.images.oci.ImageBundle;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Where the programs and images of a host come from. */
public record SoftwareSource(ImagesModule images, ImageBundle bundles) {
    /** Unpacks a bundle and lets it be used; its files are removed afterwards. */
    public <T> T ofBundle(Path file, Function<Software, T> use) {
        return bundles.read(
                file,
                unpacked ->
                        use.apply(new Software(unpacked.kubernetesVersion(), unpacked.programs(), unpacked.images())));
    }

    /** Programs and images, after whatever it takes to download and to build them. */
    public Software made(BinaryRequest request) {
        Binaries found = images.binaries().resolve(request);
        found.warnings().forEach(warning -> request.progress().say("warning: " + warning));
        return software(found, images.builder().build(found, request.progress()));
    }

    /**
     * Programs and images that are there already: nothing is fetched or built.
     *
     * @throws ProblemException NOT_FOUND when something is missing
     */
    public Software present(BinaryRequest request) {
        return images.binaries()
                .present(request)
                .flatMap(found -> images.builder().present(found).map(made -> software(found, made)))
                .orElseThrow(() -> notThereYet(request));
    }

    private static Software software(Binaries found, List<ContainerImage> images) {
        return new Software(found.kubernetesVersion(), found.outsideOfPods(), images);
    }

    private static ProblemException notThereYet(BinaryRequest request) {
        String version = request.kubernetesVersion().map(number -> " " + number).orElse("");
        String option = request.kubernetesVersion()
                .map(number -> " --kubernetes-version " + number)
                .orElse("");
        return ProblemException.of(
                ErrorCode.NOT_FOUND,
                "--dry-run",
                "programs and images of Kubernetes" + version + " are not on this machine yet, and a dry run neither"
                        + " fetches nor builds any",
                "",
                "have them made first: ouro images build" + option + "; or give --bundle FILE of 'ouro images bundle'");
    }
}
