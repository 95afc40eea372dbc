package dev.ouroboros.images.oci;

import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.node.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Image archives named {@code NAME_TAG_KEY.tar}; beside each, in a file of the same name with {@code .origin}, where it came from. */
public final class ImageCache {
    private static final Pattern NAME = Pattern.compile("([a-z-]+)_([^_]+)_([0-9a-f]+)\\.tar");

    private final Disk disk;
    private final Path directory;

    public ImageCache(Disk disk, CacheDirectory cache) {
        this.disk = disk;
        this.directory = cache.images();
    }

    Path directory() {
        return directory;
    }

    /** All images, by name, then by tag, then by key. */
    public List<ContainerImage> list() {
        return disk.list(directory).stream()
                .flatMap(name -> read(name).stream())
                .sorted(Comparator.comparing(ContainerImage::component)
                        .thenComparing(ContainerImage::tag)
                        .thenComparing(ContainerImage::key))
                .toList();
    }

    Optional<ContainerImage> find(BuiltImage component, String tag, String key) {
        return read(fileName(component, tag, key));
    }

    /** Takes over a complete archive. */
    ContainerImage publish(Path archive, ImageRecipe recipe, String key) {
        String name = fileName(recipe.component(), recipe.tag(), key);
        disk.write(originFile(name), recipe.origin().getBytes(StandardCharsets.UTF_8), "rw-r--r--");
        disk.rename(archive, directory.resolve(name));
        return read(name).orElseThrow(() -> new IllegalStateException("not an image's name: " + name));
    }

    private static String fileName(BuiltImage component, String tag, String key) {
        return component.imageName() + "_" + tag + "_" + key + ".tar";
    }

    private Path originFile(String archiveName) {
        return directory.resolve(archiveName.replaceFirst("\\.tar$", ".origin"));
    }

    private Optional<ContainerImage> read(String name) {
        Matcher parts = NAME.matcher(name);
        Path archive = directory.resolve(name);
        if (!parts.matches() || !Files.isRegularFile(archive)) {
            return Optional.empty();
        }
        String origin = disk.readText(originFile(name)).orElse("unknown");
        return Arrays.stream(BuiltImage.values())
                .filter(component -> component.imageName().equals(parts.group(1)))
                .findFirst()
                .map(component ->
                        new ContainerImage(component, parts.group(2), parts.group(3), origin, archive, size(archive)));
    }

    private static long size(Path archive) {
        try {
            return Files.size(archive);
        } catch (IOException e) {
            throw FileTrouble.of(archive, "cannot be read", e);
        }
    }
}
