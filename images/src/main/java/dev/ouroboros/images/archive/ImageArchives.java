package dev.ouroboros.images.archive;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.cache.ScratchDirectory;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ImageName;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Images of people's own, from files and from the container engine of this machine. All of them are verified before the first is
 * handed over, each as an archive of one layout with one image, whose names are the complete ones: containerd then has nothing to
 * guess, and an image that is there already is known by its digest.
 */
public final class ImageArchives {
    private static final String INPUT = "-";
    private static final Duration TIMEOUT = Duration.ofMinutes(15);
    private static final List<String> ENDINGS = List.of(".tar", ".tar.gz", ".tgz");

    private final Processes processes;
    private final Disk disk;
    private final Architecture architecture;
    private final ScratchDirectory scratch;
    private final InputStream input;

    /** @param input what {@code -} stands for */
    public ImageArchives(
            Processes processes, Disk disk, Architecture architecture, CacheDirectory cache, InputStream input) {
        this.processes = processes;
        this.disk = disk;
        this.architecture = architecture;
        this.scratch = new ScratchDirectory(disk, cache.root().resolve("archives"), "archives of images");
        this.input = input;
    }

    /**
     * Gets, verifies and hands over images; their archives are there while {@code user} runs.
     *
     * @param sources files, names of images that a local engine has, or - for what is read from standard input
     * @param name for an image that its archive does not name
     * @throws ProblemException NOT_FOUND, MISSING_TOOL, PROCESS_FAILED, UNUSABLE_IMAGE or DAMAGED_FILE, before anything was handed over
     */
    public void read(List<String> sources, Optional<String> name, Progress progress, Consumer<List<NamedImage>> user) {
        sources.forEach(this::requireSource);
        scratch.use(work -> {
            List<NamedImage> images = new ArrayList<>();
            for (int at = 0; at < sources.size(); at++) {
                Path place = work.resolve(Integer.toString(at));
                disk.createDirectories(place, Disk.OWNER_ONLY_DIRECTORY);
                String source = sources.get(at);
                progress.say("verifying " + source);
                images.addAll(read(source, name, place));
            }
            user.accept(images);
            return work;
        });
    }

    private List<NamedImage> read(String source, Optional<String> name, Path place) {
        Path content = place.resolve("content");
        List<NamedImage> images = new ArrayList<>();
        ArchiveContent unpacked;
        if (isFile(source)) {
            unpacked = ArchiveContent.unpack(disk, Path.of(source).toAbsolutePath(), source, content);
        } else {
            Path saved = place.resolve("saved.tar");
            if (source.equals(INPUT)) {
                save(saved);
            } else {
                new LocalEngine(processes).save(source, saved);
            }
            unpacked = ArchiveContent.unpack(disk, saved, source, content);
            disk.delete(saved);
        }
        for (SavedImage image : new ImageReader(unpacked, architecture, name).read()) {
            Path archive = place.resolve(images.size() + ".tar");
            pack(image, content, archive);
            images.add(new NamedImage(image.names(), image.manifest().digest(), archive));
        }
        disk.deleteTree(content);
        return images;
    }

    private void save(Path file) {
        try {
            disk.append(file, input);
        } catch (IOException e) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    INPUT,
                    "standard input cannot be read: " + e.getMessage(),
                    "an archive of 'docker save'",
                    "docker save IMAGE | ouro images load -");
        }
    }

    private void pack(SavedImage image, Path content, Path archive) {
        Json.Fields index = Json.object()
                .with("schemaVersion", Json.number(2))
                .with(
                        "manifests",
                        Json.items(image.names().stream()
                                .map(name -> image.manifest()
                                        .descriptor(image.mediaType())
                                        .with(
                                                "annotations",
                                                Json.object().with("io.containerd.image.name", Json.text(name))))));
        disk.write(content.resolve("index.json"), JsonText.write(index), Disk.OWNER_ONLY_FILE);
        disk.write(
                content.resolve("oci-layout"),
                "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8),
                Disk.OWNER_ONLY_FILE);
        List<String> pack =
                new ArrayList<>(List.of("tar", "--create", "--file=" + archive, "oci-layout", "index.json"));
        image.blobs().forEach(blob -> pack.add(ArchiveContent.BLOBS + blob.hex()));
        processes
                .run(Command.of(pack).withDirectory(content).withTimeout(TIMEOUT))
                .orThrow();
    }

    private void requireSource(String source) {
        if (isFile(source) || source.equals(INPUT)) {
            return;
        }
        boolean path = source.startsWith("/")
                || source.startsWith(".")
                || ENDINGS.stream().anyMatch(source::endsWith);
        if (path || ImageName.complete(source).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    source,
                    "is no file, and no name of an image",
                    "a file of 'docker save', or a name as in busybox:1.36",
                    "correct the path; to make such a file: docker save -o FILE IMAGE");
        }
    }

    private boolean isFile(String source) {
        return disk.status(Path.of(source).toAbsolutePath())
                .filter(status -> status.kind() != FileStatus.Kind.DIRECTORY)
                .isPresent();
    }
}
