package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.version.ProductVersion;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the image of a daemon of ours is made of: the C library, a Java runtime, programs of Debian's packages where it runs any, jars. No
 * shell, no package manager. The two lowest layers are the same in every such image, so that a node has them once.
 */
final class JavaImage {
    /** Those of all daemons: what has the programs has the C library. */
    private static final List<String> PACKAGES = List.of("coreutils", "nftables", "util-linux");

    private static final String JAVA = "/opt/java/";

    /**
     * Little memory, and nothing written to a file system that is read-only. Such a daemon waits more than it computes: so one compiler,
     * which puts only short methods into their callers, since each copy is code with its debug information. Of the heap, what is free
     * beyond a tenth is given back at each full collection. The class archive is mapped where it was made for: relocated to a random
     * address, every page of it would become memory of this process.
     */
    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:C1MaxInlineLevel=3",
            "-XX:C1MaxInlineSize=10",
            "-XX:+UseCompactObjectHeaders",
            "-Xms6m",
            "-Xmn768k",
            "-Xmx24m",
            "-XX:MinHeapFreeRatio=5",
            "-XX:MaxHeapFreeRatio=10",
            "-XX:-ShrinkHeapInSteps",
            "-Xss256k",
            "-XX:ReservedCodeCacheSize=16m",
            "-XX:StringTableSize=1024",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:SymbolTableSize=2048",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=0",
            "-XX:-UsePerfData",
            "-XX:TrimNativeHeapInterval=5000",
            "-XX:AsyncDeflationInterval=5000",
            "-XX:+ErrorFileToStderr",
            "-XX:+ExitOnOutOfMemoryError",
            "--enable-native-access=ALL-UNNAMED");

    /** One arena for all threads: the C library makes several otherwise, each with free memory of its own. */
    private static final SortedMap<String, String> ENVIRONMENT = new TreeMap<>(Map.of("MALLOC_ARENA_MAX", "1"));

    private final Processes processes;
    private final Disk disk;
    private final JavaRuntime runtime;
    private final UnpackedPackages packages;
    private final Architecture architecture;

    /**
     * In what images differ.
     *
     * @param component what it is
     * @param tools programs of Debian's packages
     * @param launcher the command before that of the JVM
     * @param classes name of the list of classes to have ready
     * @param flags of the JVM, which win over those of all daemons
     */
    record Content(
            BuiltImage component,
            JavaProgram program,
            List<String> tools,
            List<String> launcher,
            String classes,
            List<String> flags) {
        Content {
            tools = List.copyOf(tools);
            launcher = List.copyOf(launcher);
            flags = List.copyOf(flags);
        }

        private String directory() {
            return "/opt/" + component.imageName() + "/";
        }
    }

    JavaImage(
            Processes processes, Disk disk, JavaRuntime runtime, UnpackedPackages packages, Architecture architecture) {
        this.processes = processes;
        this.disk = disk;
        this.runtime = runtime;
        this.packages = packages;
        this.architecture = architecture;
    }

    ImageRecipe recipe(Content content, SortedMap<String, String> base, Progress progress) {
        Path java = runtime.resolve(progress);
        JavaProgram program = content.program();
        String own = content.directory();
        String libraries = own + "lib/";
        List<String> classPath = new ArrayList<>();
        program.ours().forEach(jar -> classPath.add(own + jar.getFileName()));
        program.dependencies().forEach(jar -> classPath.add(libraries + jar.getFileName()));
        String joinedPath = String.join(":", classPath);
        String archive = own + content.component().imageName() + ".jsa";
        List<String> jvm = new ArrayList<>(List.of(JAVA + "bin/java"));
        jvm.addAll(flags(architecture));
        jvm.addAll(content.flags());
        List<String> command = new ArrayList<>(content.launcher());
        command.addAll(jvm);
        command.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-cp", joinedPath, program.mainClass()));
        List<ImageLayer> layers = new ArrayList<>(runtimeLayers(java, base, progress));
        if (!content.tools().isEmpty()) {
            layers.add(ImageLayer.ofPrograms("tools", tools(content.tools(), java, progress), Map.of()));
        }
        layers.add(ImageLayer.ofData("dependencies", inDirectory(libraries, program.dependencies())));
        layers.add(ImageLayer.ofData(content.component().imageName(), inDirectory(own, program.ours())));
        return new ImageRecipe(
                content.component(),
                ProductVersion.current(),
                "ouro " + ProductVersion.current() + " with " + runtime.origin(),
                layers,
                Optional.of(new ClassArchive(processes, disk, content.classes(), jvm, joinedPath, archive)),
                command,
                ENVIRONMENT);
    }

    /**
     * What a stack has ready below its end for native code is memory in each thread. Ten pages are the least on amd64, and twenty, the
     * default, on arm64, where a JVM that is told less does not start (MIN_STACK_SHADOW_PAGES in hotspot's globals_x86.hpp and
     * globals_aarch64.hpp).
     */
    static List<String> flags(Architecture architecture) {
        List<String> flags = new ArrayList<>(FLAGS);
        switch (architecture) {
            case AMD64 -> flags.add("-XX:StackShadowPages=10");
            case ARM64 -> {}
        }
        return flags;
    }

    /** The same files in the same order whatever the daemon is, so that the layers have the same digests. */
    private List<ImageLayer> runtimeLayers(Path java, SortedMap<String, String> base, Progress progress) {
        return List.of(
                ImageLayer.ofPrograms("base", librariesOf(java, debian().root(progress)), base),
                new ImageLayer(
                        "java",
                        below(JAVA, JavaRuntime.programs(java)),
                        below(JAVA, JavaRuntime.data(java)),
                        new TreeMap<>()));
    }

    private DebianPrograms debian() {
        return new DebianPrograms(packages, "keeper-programs", PACKAGES);
    }

    /** The shared libraries that the Java runtime needs, but for its own. */
    private SortedMap<String, Path> librariesOf(Path java, Path root) {
        List<Path> linked = new ArrayList<>(JavaRuntime.programs(java).values());
        linked.addAll(JavaRuntime.data(java).values());
        Set<String> own = JavaRuntime.data(java).values().stream()
                .map(file -> String.valueOf(file.getFileName()))
                .filter(name -> name.endsWith(".so"))
                .collect(Collectors.toSet());
        return new TreeMap<>(new SharedLibraries(List.of(root), architecture).closure(linked, own));
    }

    /** With the shared libraries that they need beyond those of the Java runtime. */
    private SortedMap<String, Path> tools(List<String> programs, Path java, Progress progress) {
        DebianPrograms debian = debian();
        Path root = debian.root(progress);
        SortedMap<String, Path> files = new TreeMap<>();
        programs.forEach(program -> files.put(program, debian.existing(root, program)));
        files.putAll(new SharedLibraries(List.of(root), architecture).closure(List.copyOf(files.values())));
        files.keySet().removeAll(librariesOf(java, root).keySet());
        return files;
    }

    private static SortedMap<String, Path> inDirectory(String directory, List<Path> files) {
        SortedMap<String, Path> all = new TreeMap<>();
        files.forEach(file -> all.put(directory + file.getFileName(), file));
        return all;
    }

    private static SortedMap<String, Path> below(String directory, SortedMap<String, Path> files) {
        SortedMap<String, Path> all = new TreeMap<>();
        files.forEach((name, file) -> all.put(directory + name, file));
        return all;
    }
}
