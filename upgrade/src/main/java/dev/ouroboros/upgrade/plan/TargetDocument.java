package dev.ouroboros.upgrade.plan;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.RenderRequest;
import dev.ouroboros.render.config.ClusterDocument;
import dev.ouroboros.render.config.DocumentEdit;
import dev.ouroboros.render.config.Field;
import dev.ouroboros.render.config.Located;
import dev.ouroboros.render.config.Settings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A {@code Cluster} document read as one for another version: its {@code kubernetesVersion} is the target's, and so are the image tags that
 * named the old version. An image whose tag says something else is the owner's choice and stays.
 */
public final class TargetDocument {
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
        return new RenderRequest(Optional.of(file), flags(wanted), assetDirectory, false);
    }

    private Settings flags(Wanted wanted) {
        Settings.Builder flags = Settings.builder();
        wanted.emulated().ifPresent(version -> flags.set(Field.EMULATED_VERSION, version, "--emulated-version"));
        wanted.version().ifPresent(version -> {
            flags.set(Field.KUBERNETES_VERSION, version.tag(), WHERE);
            version()
                    .ifPresent(before -> IMAGES.forEach(field -> document.text(field)
                            .map(image -> retagged(image.value(), before, version))
                            .ifPresent(image -> flags.set(field, image, WHERE))));
        });
        return flags.build();
    }

    /**
     * The document for another version: it says what is rendered, and all that does not depend on the version is as it was.
     *
     * @throws ProblemException INVALID_CONFIG for what is written so that it cannot be changed where it stands
     */
    public String text(Wanted wanted) {
        Optional<KubernetesVersion> before = version();
        Optional<KubernetesVersion> after = wanted.version().filter(version -> !before.equals(Optional.of(version)));
        if (before.isEmpty() || (after.isEmpty() && wanted.emulated().isEmpty())) {
            return text;
        }
        Settings meant = document.with(flags(wanted));
        String next = after.map(version -> renewed(version, meant)).orElse(text);
        String changed = wanted.emulated().map(older -> emulating(next, older)).orElse(next);
        requireSaid(changed, meant);
        return changed;
    }

    private String renewed(KubernetesVersion version, Settings meant) {
        String next = DocumentEdit.with(text, Field.KUBERNETES_VERSION, version.number());
        for (Field field : IMAGES) {
            Optional<String> image = value(meant, field);
            if (!image.equals(value(document, field))) {
                next = DocumentEdit.with(next, field, image.orElse(""));
            }
        }
        return next;
    }

    private String emulating(String next, String older) {
        boolean isSet = document.text(Field.EMULATED_VERSION).isPresent();
        return older.equals(Wanted.NONE)
                ? DocumentEdit.without(next, Field.EMULATED_VERSION, Wanted.NONE)
                : isSet
                        ? DocumentEdit.with(next, Field.EMULATED_VERSION, older)
                        : DocumentEdit.withBehind(next, Field.KUBERNETES_VERSION, Field.EMULATED_VERSION, older);
    }

    /** Else the next upgrade would begin with what the cluster is no more. */
    private void requireSaid(String changed, Settings meant) {
        ClusterDocument.Result read = ClusterDocument.read(changed, file.toString());
        List<Problem> unsaid = new ArrayList<>(read.problems());
        Stream.concat(Stream.of(Field.KUBERNETES_VERSION, Field.EMULATED_VERSION), IMAGES.stream())
                .filter(field -> !value(read.settings(), field).equals(value(meant, field)))
                .map(field -> new Problem(
                        ErrorCode.INVALID_CONFIG,
                        document.text(field).map(Located::where).orElse(file + ": " + field.path()),
                        "cannot become " + value(meant, field).orElse(Wanted.NONE) + " there",
                        "a plain value in a line of its own, without an anchor",
                        "write it so in the Cluster document, and run the same command again; nothing was changed"))
                .forEach(unsaid::add);
        if (!unsaid.isEmpty()) {
            throw new ProblemException(unsaid);
        }
    }

    /** A version whatever way it is written. */
    private static Optional<String> value(Settings settings, Field field) {
        return settings.text(field)
                .map(Located::value)
                .filter(value -> !(field == Field.EMULATED_VERSION && value.equals(Wanted.NONE)))
                .map(value -> field == Field.KUBERNETES_VERSION
                        ? KubernetesVersion.parse(value)
                                .map(KubernetesVersion::number)
                                .orElse(value)
                        : value);
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
