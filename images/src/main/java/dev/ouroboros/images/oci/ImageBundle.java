package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.cache.ScratchDirectory;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.FileStatus;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Everything that a host without a network needs, in one file: the images, the programs that run outside of pods, what they are
 * ({@code bundle.json}), and a checksum of each ({@code SHA256SUMS}, which {@code sha256sum --check} reads). The file is a tar archive.
 */
public final class ImageBundle {
    private static final String ABOUT = "bundle.json";
    private static final String SUMS = "SHA256SUMS";
    private static final String IMAGES = "images/";
    private static final String PROGRAMS = "bin/";
    private static final String API_VERSION = "ouroboros.dev/v1alpha1";
    private static final String KIND = "ImageBundle";
    private static final String READABLE = "rw-r--r--";
    private static final String EXECUTABLE = "rwxr-xr-x";
    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    private final Processes processes;
    private final Disk disk;
    private final ScratchDirectory scratch;

    public ImageBundle(Processes processes, Disk disk, CacheDirectory cache) {
        this.processes = processes;
        this.disk = disk;
        this.scratch = new ScratchDirectory(disk, cache.root().resolve("bundles"), "a bundle of images");
    }

    /**
     * A bundle that was unpacked and found whole.
     *
     * @param images their archives are there while it is used
     * @param programs by the name of the binary
     */
    public record Unpacked(String kubernetesVersion, List<ContainerImage> images, Map<String, Path> programs) {}

    /**
     * Writes a bundle, replacing a file that is there when it is complete.
     *
     * @return the file's size in bytes
     */
    public long write(Path file, Binaries binaries, List<ContainerImage> images) {
        Path target = file.toAbsolutePath();
        return scratch.use(work -> {
            List<String> names = new ArrayList<>(List.of(ABOUT));
            disk.write(work.resolve(ABOUT), JsonText.write(about(binaries, images)), READABLE);
            for (ContainerImage image : images) {
                names.add(imageFile(image));
                disk.copy(image.archive(), place(work, imageFile(image)), READABLE);
            }
            binaries.outsideOfPods().forEach((name, program) -> {
                names.add(PROGRAMS + name);
                disk.copy(program, place(work, PROGRAMS + name), EXECUTABLE);
            });
            List<String> sum = new ArrayList<>(List.of("sha256sum", "--"));
            sum.addAll(names);
            String sums = run(in(work, sum)).orThrow();
            disk.write(work.resolve(SUMS), sums.getBytes(StandardCharsets.UTF_8), READABLE);
            names.addFirst(SUMS);
            Path packed = scratch.root().resolve("packed.tar");
            List<String> pack = new ArrayList<>(List.of(
                    "tar", "--create", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--file=" + packed));
            pack.addAll(names);
            run(in(work, pack)).orThrow();
            disk.copy(packed, target, READABLE);
            disk.delete(packed);
            return size(target);
        });
    }

    /**
     * Unpacks a bundle, verifies all of it, and only then hands it over. Its files are removed afterwards.
     *
     * @param use while they are there
     * @throws ProblemException NOT_FOUND, or DAMAGED_FILE with each part of it that is not as it was written
     */
    public <T> T read(Path file, Function<Unpacked, T> use) {
        Path source = file.toAbsolutePath();
        if (disk.status(source).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.NOT_FOUND,
                    file.toString(),
                    "does not exist",
                    "a file of 'ouro images bundle'",
                    "make one on a machine with a network (ouro images bundle), and copy it here");
        }
        return scratch.use(work -> {
            Result unpacked = run(in(work, List.of("tar", "--extract", "--no-same-owner", "--file=" + source)));
            if (unpacked.exitCode() != 0) {
                throw damaged(file, unpacked.error().lines().findFirst().orElse("tar cannot read it"));
            }
            verify(file, work);
            return use.apply(contents(file, work));
        });
    }

    private void verify(Path file, Path work) {
        Map<String, String> sums = new TreeMap<>();
        disk.readText(work.resolve(SUMS)).orElse("").lines().forEach(line -> {
            String[] words = line.split(" [ *]", 2);
            sums.put(words[words.length - 1], words[0]);
        });
        TreeSet<String> present = new TreeSet<>();
        List.of("", IMAGES, PROGRAMS)
                .forEach(directory -> disk.list(work.resolve(directory)).stream()
                        .map(name -> directory + name)
                        .filter(name -> !List.of(SUMS, "images", "bin").contains(name))
                        .forEach(present::add));
        List<Problem> problems = new ArrayList<>();
        sums.keySet().stream()
                .filter(name -> !present.contains(name))
                .forEach(name -> problems.add(part(file, name, "is missing")));
        present.stream()
                .filter(name -> !sums.containsKey(name) || !isFile(work.resolve(name)))
                .forEach(name -> problems.add(part(file, name, "is no file that has a checksum")));
        if (problems.isEmpty()) {
            Result checked = run(in(work, List.of("sha256sum", "--check", "--strict", "--quiet", SUMS)));
            checked.output()
                    .lines()
                    .map(line -> line.replaceFirst(": FAILED.*", ""))
                    .forEach(name -> problems.add(part(file, name, "is not what its checksum says")));
            if (problems.isEmpty() && checked.exitCode() != 0) {
                problems.add(part(file, SUMS, checked.error().strip()));
            }
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private boolean isFile(Path file) {
        return disk.status(file)
                .filter(status -> status.kind() == FileStatus.Kind.FILE)
                .isPresent();
    }

    private Unpacked contents(Path file, Path work) {
        Json about = disk.readText(work.resolve(ABOUT))
                .map(text -> parsed(file, text))
                .orElseThrow(() -> damaged(file, "has no " + ABOUT));
        if (!about.at("apiVersion").equals(Json.text(API_VERSION))
                || !about.at("kind").equals(Json.text(KIND))) {
            throw damaged(file, ABOUT + " is not of kind " + KIND + " in " + API_VERSION);
        }
        List<ContainerImage> images = new ArrayList<>();
        for (Json image : about.at("images").items()) {
            String name = image.at("component").text().orElse("");
            BuiltImage component = Arrays.stream(BuiltImage.values())
                    .filter(known -> known.imageName().equals(name))
                    .findFirst()
                    .orElseThrow(
                            () -> damaged(file, "has an image of '" + name + "', which this version does not know"));
            String tag = image.at("tag").text().orElse("");
            String key = image.at("content").text().orElse("");
            Path archive = work.resolve(imageFile(component, tag, key));
            if (!isFile(archive)) {
                throw damaged(file, "has no image " + component.reference(tag));
            }
            String origin = image.at("origin").text().orElse("");
            images.add(new ContainerImage(component, tag, key, origin, archive, size(archive)));
        }
        Map<String, Path> programs = disk.list(work.resolve(PROGRAMS)).stream()
                .collect(Collectors.toMap(name -> name, name -> work.resolve(PROGRAMS + name)));
        return new Unpacked(about.at("kubernetesVersion").text().orElse(""), List.copyOf(images), programs);
    }

    private static Json parsed(Path file, String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.DAMAGED_FILE,
                            file + " " + ABOUT,
                            "is no JSON: " + e.getMessage(),
                            "",
                            "copy the bundle again, or make it again: ouro images bundle"),
                    e);
        }
    }

    private static Json.Fields about(Binaries binaries, List<ContainerImage> images) {
        return Json.object()
                .with("apiVersion", Json.text(API_VERSION))
                .with("kind", Json.text(KIND))
                .with("kubernetesVersion", Json.text(binaries.kubernetesVersion()))
                .with("etcdVersion", Json.text(binaries.etcdVersion()))
                .with("origin", Json.text(binaries.origin()))
                .with(
                        "images",
                        Json.items(images.stream()
                                .map(image -> Json.object()
                                        .with(
                                                "component",
                                                Json.text(image.component().imageName()))
                                        .with("tag", Json.text(image.tag()))
                                        .with("content", Json.text(image.key()))
                                        .with("origin", Json.text(image.origin()))
                                        .with("image", Json.text(image.reference())))));
    }

    private static String imageFile(ContainerImage image) {
        return imageFile(image.component(), image.tag(), image.key());
    }

    private static String imageFile(BuiltImage component, String tag, String key) {
        return IMAGES + component.imageName() + "_" + tag + "_" + key + ".tar";
    }

    private Path place(Path work, String name) {
        Path file = work.resolve(name);
        disk.createDirectories(Optional.ofNullable(file.getParent()).orElse(work), Disk.OWNER_ONLY_DIRECTORY);
        return file;
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be read", e);
        }
    }

    private static List<String> in(Path directory, List<String> command) {
        List<String> all = new ArrayList<>(List.of("env", "--chdir=" + directory, "LC_ALL=C"));
        all.addAll(command);
        return all;
    }

    private Result run(List<String> command) {
        return processes.run(Command.of(command).withTimeout(TIMEOUT));
    }

    private static ProblemException damaged(Path file, String what) {
        return ProblemException.of(
                ErrorCode.DAMAGED_FILE, file.toString(), what, "a file of 'ouro images bundle'", "copy it again");
    }

    private static Problem part(Path file, String name, String what) {
        return new Problem(ErrorCode.DAMAGED_FILE, file + " " + name, what, "what was packed", "copy the bundle again");
    }
}
