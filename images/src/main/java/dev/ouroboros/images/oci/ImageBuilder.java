package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

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

    /** It signs certificates and reads objects now and then: what that takes is given back, but has to be there. */
    private static final List<String> STEWARD_FLAGS = List.of("-Xmx64m");

    private final Disk disk;
    private final InstantSource clock;
    private final ImageCache cache;
    private final ProxyTools proxyTools;
    private final JavaImage java;
    private final Daemons daemons;
    private final Architecture architecture;
    private final JibArchiver archiver;

    /** Programs of ours that have images, as far as they were built. */
    public record Daemons(Optional<JavaProgram> keeper, Optional<JavaProgram> dns, Optional<JavaProgram> steward) {
        /** Those on a class path of files, as the command line's. */
        public static Daemons find(List<Path> classPath) {
            return new Daemons(
                    JavaProgram.find("keeper", classPath),
                    JavaProgram.find("dns", classPath),
                    JavaProgram.find("steward", classPath));
        }
    }

    ImageBuilder(
            Disk disk,
            InstantSource clock,
            ImageCache cache,
            ProxyTools proxyTools,
            JavaImage java,
            Daemons daemons,
            Architecture architecture) {
        this.disk = disk;
        this.clock = clock;
        this.cache = cache;
        this.proxyTools = proxyTools;
        this.java = java;
        this.daemons = daemons;
        this.architecture = architecture;
        this.archiver = new JibArchiver(disk, architecture);
    }

    /**
     * Puts one together.
     *
     * @param daemons of ours; without a program there is no image of it
     */
    public static ImageBuilder create(
            Processes processes,
            Disk disk,
            InstantSource clock,
            CacheDirectory directory,
            ImageCache cache,
            UnpackedPackages packages,
            Daemons daemons,
            Architecture architecture) {
        JavaRuntime runtime = new JavaRuntime(processes, disk, directory, Path.of(System.getProperty("java.home")));
        return new ImageBuilder(
                disk,
                clock,
                cache,
                new ProxyTools(packages, architecture),
                new JavaImage(processes, disk, runtime, packages, architecture),
                daemons,
                architecture);
    }

    /** An image for every component that there are binaries for, and always one for pause. */
    public List<ContainerImage> build(Binaries binaries, Progress progress) {
        disk.createDirectories(cache.directory(), Disk.OWNER_ONLY_DIRECTORY);
        FileDigests digests = FileDigests.load(disk, clock, cache.directory().resolve(".digests"));
        List<ContainerImage> images = new ArrayList<>();
        for (BuiltImage component : BuiltImage.values()) {
            recipe(component, binaries, progress).ifPresent(recipe -> images.add(image(recipe, digests, progress)));
        }
        digests.save();
        return List.copyOf(images);
    }

    /**
     * The images that were built of these binaries before, one of each; nothing when one is missing. Whether it is of the same
     * bytes is found out by {@link #build} only.
     */
    public Optional<List<ContainerImage>> present(Binaries binaries) {
        List<ContainerImage> images = new ArrayList<>();
        List<ContainerImage> built = cache.list();
        for (BuiltImage component : BuiltImage.values()) {
            if (!isBuilt(component, binaries)) {
                continue;
            }
            Optional<ContainerImage> found = built.stream()
                    .filter(image -> image.component() == component)
                    .filter(image -> image.tag().equals(component.tag(binaries)))
                    .findFirst();
            if (found.isEmpty()) {
                return Optional.empty();
            }
            images.add(found.get());
        }
        return Optional.of(List.copyOf(images));
    }

    private boolean isBuilt(BuiltImage component, Binaries binaries) {
        return switch (component) {
            case KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, ETCD, KUBE_PROXY ->
                component.binary().flatMap(binaries::find).isPresent();
            case KEEPER -> daemons.keeper().isPresent();
            case DNS -> daemons.dns().isPresent();
            case STEWARD -> daemons.steward().isPresent();
            case PAUSE -> true;
        };
    }

    private ContainerImage image(ImageRecipe recipe, FileDigests digests, Progress progress) {
        String key = recipe.key(digests);
        Optional<ContainerImage> cached = cache.find(recipe.component(), recipe.tag(), key);
        if (cached.isPresent()) {
            return cached.get();
        }
        Runnable waiting = () -> progress.say("another ouro is building images: waiting for it to end");
        try (ExclusiveLock _ = ExclusiveLock.await(cache.directory().resolve(".lock"), "build of an image", waiting)) {
            return cache.find(recipe.component(), recipe.tag(), key).orElseGet(() -> {
                progress.say("building the image " + recipe.component().reference(recipe.tag()));
                return assemble(recipe, key);
            });
        }
    }

    private ContainerImage assemble(ImageRecipe recipe, String key) {
        Path work = cache.directory().resolve(".work");
        disk.deleteTree(work);
        disk.createDirectories(work, Disk.OWNER_ONLY_DIRECTORY);
        try {
            ImageRecipe complete = recipe.derived()
                    .map(layer -> recipe.completedBy(layer.make(recipe.layers(), work)))
                    .orElse(recipe);
            Path archive = archiver.archive(complete, key, work);
            return cache.publish(archive, complete, key);
        } finally {
            disk.deleteTree(work);
        }
    }

    private Optional<ImageRecipe> recipe(BuiltImage component, Binaries binaries, Progress progress) {
        return switch (component) {
            case KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, ETCD ->
                around(component, binaries, new TreeMap<>(BASE), Map::of);
            case KUBE_PROXY -> around(component, binaries, new TreeMap<>(BASE), () -> proxyTools.files(progress));
            case KEEPER -> daemons.keeper().map(KeeperImage::content).map(daemon -> recipe(daemon, progress));
            case DNS ->
                daemons.dns()
                        .map(program -> new JavaImage.Content(
                                BuiltImage.DNS, program, List.of(), List.of(), "dns.classes", List.of()))
                        .map(daemon -> recipe(daemon, progress));
            case STEWARD ->
                daemons.steward()
                        .map(program -> new JavaImage.Content(
                                BuiltImage.STEWARD, program, List.of(), List.of(), "steward.classes", STEWARD_FLAGS))
                        .map(daemon -> recipe(daemon, progress));
            case PAUSE -> Optional.of(around(component, pause(binaries), binaries, new TreeMap<>(), Map::of));
        };
    }

    private ImageRecipe recipe(JavaImage.Content daemon, Progress progress) {
        return java.recipe(daemon, new TreeMap<>(BASE), progress);
    }

    private Optional<ImageRecipe> around(
            BuiltImage component,
            Binaries binaries,
            SortedMap<String, String> texts,
            Supplier<Map<String, Path>> tools) {
        return component
                .binary()
                .flatMap(binaries::find)
                .map(binary -> around(component, binary, binaries, texts, tools));
    }

    private ImageRecipe around(
            BuiltImage component,
            Path binary,
            Binaries binaries,
            SortedMap<String, String> texts,
            Supplier<Map<String, Path>> tools) {
        String program = ImageRecipe.PROGRAM_DIRECTORY + component.imageName();
        SortedMap<String, Path> programs = new TreeMap<>(Map.of(program, binary));
        for (Binary companion : component.companions()) {
            binaries.find(companion)
                    .ifPresent(file -> programs.put(ImageRecipe.PROGRAM_DIRECTORY + companion.fileName(), file));
        }
        programs.putAll(
                new SharedLibraries(List.of(Path.of("/")), architecture).closure(List.copyOf(programs.values())));
        programs.putAll(tools.get());
        return new ImageRecipe(
                component,
                component.tag(binaries),
                binaries.origin(),
                List.of(ImageLayer.ofPrograms(component.imageName(), programs, texts)),
                Optional.empty(),
                List.of(program),
                new TreeMap<>());
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
