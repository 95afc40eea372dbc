package dev.ouroboros.upgrade.plan;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Located;
import dev.ouroboros.render.config.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@code Cluster} document read as one for another version: its {@code kubernetesVersion} is the target's, and so are the image tags that
 * named the old version. An image whose tag says something else is the owner's choice and stays.
 */
public final class TargetDocument {
    private static final Pattern VERSION_LINE = Pattern.compile("\\s*kubernetesVersion:.*");
    private static final Pattern EMULATED_LINE = Pattern.compile("\\s*emulatedVersion:.*");
    private static final String WHERE = "TARGET";
    private static final List<Field> IMAGES =
            List.of(Field.IMAGE_API_SERVER, Field.IMAGE_CONTROLLER_MANAGER, Field.IMAGE_SCHEDULER, Field.IMAGE_PROXY);

    private final Path file;
    private final String text;
    private final Settings document;

    private TargetDocument(Path file, String text, Settings document) {
        this.file = file;
        this.text = text;
        this.document = document;
    }

    /**
     * Reads a document; what is wrong in it is found when it is rendered.
     *
     * @throws ProblemException NOT_FOUND when there is none
     */
    public static TargetDocument read(Disk disk, Path file) {
        String text = disk.readText(file)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        file.toString(),
                        "there is no such file",
                        "a Cluster document",
                        "give the path of the document that is there, with --config"));
        return new TargetDocument(
                file, text, ClusterDocument.read(text, file.toString()).settings());
    }

    /** As the document says it, with the place of each value. */
    Settings settings() {
        return document;
    }

    /** The version that the document itself asks for. */
    public Optional<KubernetesVersion> version() {
        return document.text(Field.KUBERNETES_VERSION).map(Located::value).flatMap(KubernetesVersion::parse);
    }

    /**
     * What to render.
     */
    public RenderRequest request(Path assetDirectory, Wanted wanted) {
        Settings.Builder flags = Settings.builder();
        wanted.emulated().ifPresent(version -> flags.set(Field.EMULATED_VERSION, version, "--emulated-version"));
        wanted.version().ifPresent(version -> {
            flags.set(Field.KUBERNETES_VERSION, version.tag(), WHERE);
            version()
                    .ifPresent(before -> IMAGES.forEach(field -> document.text(field)
                            .map(image -> retagged(image.value(), before, version))
                            .ifPresent(image -> flags.set(field, image, WHERE))));
        });
        return new RenderRequest(Optional.of(file), flags.build(), assetDirectory, false);
    }

    /**
     * The document for another version; every line that does not depend on the version is as it was.
     */
    public String text(Wanted wanted) {
        Optional<KubernetesVersion> before = version();
        Optional<KubernetesVersion> after = wanted.version().filter(version -> !before.equals(Optional.of(version)));
        if (before.isEmpty() || (after.isEmpty() && wanted.emulated().isEmpty())) {
            return text;
        }
        return text.lines()
                .filter(line -> wanted.emulated().isEmpty()
                        || !EMULATED_LINE.matcher(line).matches())
                .flatMap(line -> renewed(line, before.get(), after, wanted.emulated()))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    private static Stream<String> renewed(
            String line, KubernetesVersion before, Optional<KubernetesVersion> after, Optional<String> emulated) {
        if (!VERSION_LINE.matcher(line).matches()) {
            return Stream.of(
                    after.map(version -> retagged(line, before, version)).orElse(line));
        }
        String version = after.map(renewed -> line.substring(0, line.indexOf(':') + 1) + " " + renewed.number())
                .orElse(line);
        return Stream.concat(
                Stream.of(version),
                emulated.filter(older -> !older.equals(Wanted.NONE)).stream()
                        .map(older -> " ".repeat(line.indexOf('k')) + "emulatedVersion: \"" + older + "\""));
    }

    /** The image with the new tag, as in {@code registry.example/kube-proxy:v1.20.2} or without v. A tag cannot hold a plus sign. */
    static String retagged(String image, KubernetesVersion before, KubernetesVersion after) {
        String old = before.number().replace('+', '_');
        String renewed = after.number().replace('+', '_');
        for (String prefix : List.of(":", ":v")) {
            if (image.endsWith(prefix + old)) {
                return image.substring(0, image.length() - old.length()) + renewed;
            }
        }
        return image;
    }
}
