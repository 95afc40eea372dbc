package dev.ouroboros.images.oci;

import static java.util.Objects.requireNonNull;

import dev.ouroboros.model.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All that determines an image's bytes.
 *
 * @param component what it is for
 * @param tag version of the component
 * @param origin where its content is from, for people; determines nothing
 * @param layers the lowest first: what changes rarely below what changes often, so that it need not be loaded again
 * @param derived the uppermost layer, when it follows from the others
 * @param entrypoint the program that a container runs, with arguments
 * @param environment of that program, besides PATH
 */
record ImageRecipe(
        BuiltImage component,
        String tag,
        String origin,
        List<ImageLayer> layers,
        Optional<DerivedLayer> derived,
        List<String> entrypoint,
        SortedMap<String, String> environment) {
    static final String PROGRAM_DIRECTORY = "/usr/local/bin/";
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /** Changes when {@link ImageBuilder} makes something else of the same recipe, so that caches do not keep the old. */
    private static final String FORMAT = "2";

    private static final int KEY_LENGTH = 12;

    ImageRecipe {
        requireNonNull(component, "component");
        layers = List.copyOf(layers);
        entrypoint = List.copyOf(entrypoint);
        environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
    }

    /** The first digits of the SHA-256 of the recipe with all files in it. */
    String key(FileDigests digests) {
        MessageDigest all = Sha256.begin();
        line(all, FORMAT, component.name(), tag);
        for (ImageLayer layer : layers) {
            line(all, "layer", layer.name());
            layer.programs().forEach((path, file) -> line(all, path, digests.of(file)));
            layer.data().forEach((path, file) -> line(all, "data", path, digests.of(file)));
            layer.texts().forEach((path, text) -> line(all, path, text));
        }
        derived.ifPresent(layer -> line(all, "derived", layer.fingerprint()));
        line(all, entrypoint.toArray(String[]::new));
        environment.forEach((name, value) -> line(all, "environment", name, value));
        return Sha256.hex(all).substring(0, KEY_LENGTH);
    }

    /** With the derived layer among the others. */
    ImageRecipe completedBy(ImageLayer layer) {
        List<ImageLayer> all = new ArrayList<>(layers);
        all.add(layer);
        return new ImageRecipe(component, tag, origin, all, Optional.empty(), entrypoint, environment);
    }

    private static void line(MessageDigest digest, String... words) {
        digest.update((String.join("\0", words) + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
