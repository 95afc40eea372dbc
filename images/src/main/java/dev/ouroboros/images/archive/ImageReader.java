package dev.ouroboros.images.archive;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.registry.ImageName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The images of an archive, of which every part is there and what its digest says. What has the layout of OCI is read as that,
 * as containerd does; newer dockers write both kinds into one file.
 */
final class ImageReader {
    private static final String OCI_LAYOUT = "oci-layout";
    private static final String OCI_INDEX = "index.json";
    private static final String DOCKER_MANIFEST = "manifest.json";
    private static final String BUNDLE = "bundle.json";

    private static final String DOCKER_SCHEMA_2 = "application/vnd.docker.distribution.manifest.v2+json";
    private static final String DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json";
    private static final String DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar";
    private static final Set<String> INDEXES = Set.of(
            "application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json");
    private static final String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final int DEEPEST_INDEX = 4;

    private final ArchiveContent content;
    private final Architecture architecture;
    private final Optional<String> name;

    /**
     * @param architecture of the node
     * @param name for an image that the archive does not name; else its only name
     */
    ImageReader(ArchiveContent content, Architecture architecture, Optional<String> name) {
        this.content = content;
        this.architecture = architecture;
        this.name = name;
    }

    /** All of them, at least one. */
    List<SavedImage> read() {
        List<SavedImage> images = content.has(OCI_LAYOUT) && content.has(OCI_INDEX) ? ofOci() : ofDocker();
        if (images.isEmpty()) {
            throw content.unusable("", "has no image");
        }
        if (name.isPresent() && images.size() > 1) {
            throw content.unusable(
                    "",
                    "has " + images.size() + " images, and --as names one",
                    "an archive of one image",
                    "leave --as out, or save the image alone: docker save -o FILE IMAGE");
        }
        return images;
    }

    private List<SavedImage> ofDocker() {
        if (content.has(BUNDLE)) {
            throw content.unusable(
                    "",
                    "is a bundle of 'ouro images bundle'",
                    "an archive of 'docker save' or of OCI",
                    "load it with: ouro images load --bundle FILE");
        }
        if (!content.has(DOCKER_MANIFEST)) {
            throw content.unusable("", "has neither " + DOCKER_MANIFEST + " nor " + OCI_LAYOUT + " with " + OCI_INDEX);
        }
        return content.document(DOCKER_MANIFEST).items().stream()
                .map(this::ofDocker)
                .toList();
    }

    private SavedImage ofDocker(Json item) {
        String configName = item.at("Config").text().orElse("");
        Blob config = named(configName);
        String last = configName.substring(configName.lastIndexOf('/') + 1).replaceFirst("\\.json$", "");
        if (last.matches("[0-9a-f]{64}")) {
            content.requireDigest(configName, config, "sha256:" + last);
        }
        List<String> layerNames = item.at("Layers").items().stream()
                .flatMap(layer -> layer.text().stream())
                .toList();
        List<Blob> layers = layerNames.stream().map(this::named).toList();
        requireFits(config, configName, layers, layerNames);
        Json.Fields manifest = Json.object()
                .with("schemaVersion", Json.number(2))
                .with("mediaType", Json.text(DOCKER_SCHEMA_2))
                .with("config", config.descriptor(DOCKER_CONFIG))
                .with("layers", Json.items(layers.stream().map(layer -> layer.descriptor(DOCKER_LAYER))));
        Blob written = content.add(manifest);
        List<String> tags = item.at("RepoTags").items().stream()
                .flatMap(tag -> tag.text().stream())
                .toList();
        return new SavedImage(names(DOCKER_MANIFEST, tags), written, DOCKER_SCHEMA_2, all(written, config, layers));
    }

    private Blob named(String entry) {
        return content.find(entry)
                .orElseThrow(() -> content.damaged(entry, "is missing, and " + DOCKER_MANIFEST + " names it", ""));
    }

    private List<SavedImage> ofOci() {
        List<SavedImage> images = new ArrayList<>();
        for (Json descriptor : content.document(OCI_INDEX).at("manifests").items()) {
            Json annotations = descriptor.at("annotations");
            Optional<String> said = annotations
                    .at("io.containerd.image.name")
                    .text()
                    .or(() -> annotations
                            .at("org.opencontainers.image.ref.name")
                            .text()
                            // The specification wants a tag there, many tools write the whole name.
                            .filter(text -> text.contains("/") || text.contains(":")));
            Optional<Json> ours = ofOurPlatform(descriptor, OCI_INDEX, 0);
            if (ours.isEmpty()) {
                throw ofAnother(OCI_INDEX, platforms(descriptor));
            }
            images.add(manifest(ours.get(), said));
        }
        return merged(images);
    }

    private SavedImage manifest(Json descriptor, Optional<String> said) {
        Blob manifest = content.blob(descriptor, OCI_INDEX);
        String entry = ArchiveContent.BLOBS + manifest.hex();
        Json document = content.document(manifest, entry);
        Blob config = content.blob(document.at("config"), entry);
        List<Json> described = document.at("layers").items();
        List<Blob> layers =
                described.stream().map(layer -> content.blob(layer, entry)).toList();
        List<String> layerNames =
                layers.stream().map(layer -> ArchiveContent.BLOBS + layer.hex()).toList();
        requireFits(config, ArchiveContent.BLOBS + config.hex(), layers, layerNames);
        String type = descriptor.at("mediaType").text().orElse(OCI_MANIFEST);
        return new SavedImage(names(OCI_INDEX, said.stream().toList()), manifest, type, all(manifest, config, layers));
    }

    /** Of an image for several platforms the one for ours; whether it fits is known of its configuration alone. */
    private Optional<Json> ofOurPlatform(Json descriptor, String of, int depth) {
        if (!isIndex(descriptor) || depth == DEEPEST_INDEX) {
            return Optional.of(descriptor);
        }
        Blob index = content.blob(descriptor, of);
        String entry = ArchiveContent.BLOBS + index.hex();
        return content.document(index, entry).at("manifests").items().stream()
                .filter(each -> isIndex(each)
                        || (each.at("platform", "os").text().orElse("linux").equals("linux")
                                && each.at("platform", "architecture")
                                        .text()
                                        .orElse(architecture.goName())
                                        .equals(architecture.goName())))
                .findFirst()
                .flatMap(each -> ofOurPlatform(each, entry, depth + 1));
    }

    private static boolean isIndex(Json descriptor) {
        return descriptor.at("mediaType").text().filter(INDEXES::contains).isPresent();
    }

    private String platforms(Json descriptor) {
        Blob index = content.blob(descriptor, OCI_INDEX);
        return String.join(
                ", ",
                content.document(index, ArchiveContent.BLOBS + index.hex()).at("manifests").items().stream()
                        .map(each -> each.at("platform"))
                        .map(platform -> platform.at("os").text().orElse("?") + "/"
                                + platform.at("architecture").text().orElse("?"))
                        .toList());
    }

    /** One image that an archive has under several names. */
    private static List<SavedImage> merged(List<SavedImage> images) {
        List<SavedImage> merged = new ArrayList<>();
        for (SavedImage image : images) {
            Optional<SavedImage> same = merged.stream()
                    .filter(other -> other.manifest().equals(image.manifest()))
                    .findFirst();
            same.ifPresent(merged::remove);
            merged.add(same.map(other -> new SavedImage(
                            Stream.concat(other.names().stream(), image.names().stream())
                                    .distinct()
                                    .toList(),
                            image.manifest(),
                            image.mediaType(),
                            image.blobs()))
                    .orElse(image));
        }
        return List.copyOf(merged);
    }

    /** The configuration's platform is the node's, and its layers are these. */
    private void requireFits(Blob config, String configName, List<Blob> layers, List<String> names) {
        Json document = content.document(config, configName);
        String platform = document.at("os").text().orElse("?") + "/"
                + document.at("architecture").text().orElse("?");
        if (!platform.equals("linux/" + architecture.goName())) {
            throw ofAnother(configName, platform);
        }
        List<Json> diffs = document.at("rootfs", "diff_ids").items();
        if (diffs.size() != layers.size()) {
            throw content.damaged(
                    configName, "tells of " + diffs.size() + " layers", layers.size() + ", as the manifest has");
        }
        for (int at = 0; at < diffs.size(); at++) {
            String layer = names.get(at);
            String expected = diffs.get(at).text().orElse("");
            Optional<String> found = content.uncompressedDigest(layers.get(at), layer);
            if (found.isPresent() && !found.get().equals(expected)) {
                throw content.damaged(
                        layer, "has the content " + found.get(), expected + ", as " + configName + " says");
            }
        }
    }

    private dev.ouroboros.model.problem.ProblemException ofAnother(String entry, String platform) {
        String ours = "linux/" + architecture.goName();
        return content.unusable(
                entry,
                "is an image for " + platform,
                ours + ", as this node is",
                "get it for this node (docker pull --platform " + ours + " IMAGE), and save it again: docker save");
    }

    private List<String> names(String entry, List<String> said) {
        List<String> given = name.map(List::of).orElse(said);
        if (given.isEmpty()) {
            throw content.unusable(
                    entry,
                    "gives the image no name",
                    "a name, as in busybox:1.36",
                    "save it by its name (docker save -o FILE NAME), or give it one: ouro images load FILE --as NAME");
        }
        Set<String> names = new LinkedHashSet<>();
        for (String each : given) {
            names.add(ImageName.complete(each)
                    .orElseThrow(() -> content.unusable(
                            entry,
                            "names the image '" + each + "', which is no image reference",
                            "a name, as in busybox:1.36",
                            "give it another one: ouro images load FILE --as NAME")));
        }
        return List.copyOf(names);
    }

    private static List<Blob> all(Blob manifest, Blob config, List<Blob> layers) {
        return Stream.concat(Stream.of(manifest, config), layers.stream())
                .distinct()
                .toList();
    }
}
