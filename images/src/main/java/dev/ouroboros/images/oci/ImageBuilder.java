package dev.ouroboros.images.oci;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds one image a component from binaries: on an empty base, without network, the same bytes from the same files. An image
 * whose content is in the cache is not built again.
 */
public final class ImageBuilder {
    /** What programs expect of any root file system; root and nobody are the users that official images have. */
    private static final Map<String, String> BASE = Map.of(
            "/etc/passwd",
                    "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n",
            "/etc/group", "root:x:0:\nnobody:x:65534:\n",
            "/etc/nsswitch.conf", "hosts: files dns\n");

    private final Disk disk;
    private final InstantSource clock;
    private final ImageCache cache;
    private final ProxyTools proxyTools;
    private final Architecture architecture;
    private final JibArchiver archiver;

    public ImageBuilder(
            Disk disk, InstantSource clock, ImageCache cache, UnpackedPackages packages, Architecture architecture) {
        this.disk = disk;
        this.clock = clock;
        this.cache = cache;
        this.proxyTools = new ProxyTools(packages, architecture);
        this.architecture = architecture;
        this.archiver = new JibArchiver(disk, architecture);
    }

    /** An image for every component that there are binaries for, and always one for pause. */
    public List<ContainerImage> build(Binaries binaries, Progress progress) {
        disk.createDirectories(cache.directory(), Disk.OWNER_ONLY_DIRECTORY);
        FileDigests digests = FileDigests.load(disk, clock, cache.directory().resolve(".digests"));
        List<ContainerImage> images = new ArrayList<>();
        for (Component component : Component.values()) {
            Optional<Path> binary =
                    component == Component.PAUSE ? Optional.of(pause(binaries)) : binaries.find(component.binary());
            binary.ifPresent(file ->
                    images.add(image(recipe(component, file, binaries, progress), digests, binaries, progress)));
        }
        digests.save();
        return List.copyOf(images);
    }

    private ContainerImage image(ImageRecipe recipe, FileDigests digests, Binaries binaries, Progress progress) {
        String key = recipe.key(digests);
        Optional<ContainerImage> cached = cache.find(recipe.component(), recipe.tag(), key);
        if (cached.isPresent()) {
            return cached.get();
        }
        Runnable waiting = () -> progress.say("another ouro is building images: waiting for it to end");
        try (ExclusiveLock _ = ExclusiveLock.await(cache.directory().resolve(".lock"), "build of an image", waiting)) {
            return cache.find(recipe.component(), recipe.tag(), key).orElseGet(() -> {
                progress.say("building the image " + recipe.component().reference(recipe.tag()));
                return assemble(recipe, key, binaries.origin());
            });
        }
    }

    private ContainerImage assemble(ImageRecipe recipe, String key, String origin) {
        Path work = cache.directory().resolve(".work");
        disk.deleteTree(work);
        disk.createDirectories(work, Disk.OWNER_ONLY_DIRECTORY);
        try {
            Path archive = archiver.archive(recipe, key, work);
            return cache.publish(archive, recipe, key, origin);
        } finally {
            disk.deleteTree(work);
        }
    }

    private ImageRecipe recipe(Component component, Path binary, Binaries binaries, Progress progress) {
        SortedMap<String, Path> programs = new TreeMap<>();
        programs.put(ImageRecipe.PROGRAM_DIRECTORY + component.binary().fileName(), binary);
        for (Binary companion : component.companions()) {
            binaries.find(companion)
                    .ifPresent(file -> programs.put(ImageRecipe.PROGRAM_DIRECTORY + companion.fileName(), file));
        }
        programs.putAll(
                new SharedLibraries(List.of(Path.of("/")), architecture).closure(List.copyOf(programs.values())));
        if (component == Component.KUBE_PROXY) {
            programs.putAll(proxyTools.files(progress));
        }
        SortedMap<String, String> texts = component == Component.PAUSE ? new TreeMap<>() : new TreeMap<>(BASE);
        return new ImageRecipe(component, component.tag(binaries), programs, texts);
    }

    /** Kubernetes' own where the binaries have it, else ours, which needs a file to be taken from. */
    private Path pause(Binaries binaries) {
        return binaries.find(Binary.PAUSE).orElseGet(() -> {
            if (architecture != Architecture.AMD64) {
                throw ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        binaries.origin(),
                        "has no pause, and ours is for amd64 only",
                        "",
                        "put a pause binary into the directory of --binaries");
            }
            Path file = cache.directory().resolve(".pause");
            disk.write(file, PauseProgram.bytes(), "rwxr-xr-x");
            return file;
        });
    }
}
