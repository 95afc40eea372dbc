package dev.ouroboros.host;

import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.images.oci.ContainerImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a host runs, on this machine's disk.
 *
 * @param kubernetesVersion without a leading {@code v}
 * @param programs that run outside of pods, by name
 */
public record Software(String kubernetesVersion, Map<String, Path> programs, List<ContainerImage> images) {
    public Software {
        programs = Map.copyOf(programs);
        images = List.copyOf(images);
    }

    Optional<String> image(BuiltImage component) {
        return images.stream()
                .filter(image -> image.component() == component)
                .map(ContainerImage::reference)
                .findFirst();
    }
}
