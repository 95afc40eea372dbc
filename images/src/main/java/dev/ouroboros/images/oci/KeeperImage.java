package dev.ouroboros.images.oci;

import dev.ouroboros.core.asset.StateLayout;
import dev.ouroboros.core.version.ProductVersion;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.debian.UnpackedPackages;
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
 * What the keeper's image is made of: from Debian's packages what is not Java, a Java runtime, jars. No shell, no package manager.
 *
 * <p>The container's process is {@code flock}, which waits for the keeper's lock with less than a megabyte, and then becomes the JVM
 * ({@code --no-fork}): the lock is held by a descriptor that the JVM inherits, for as long as it lives. Children that a JVM starts
 * do not get the descriptor.
 */
final class KeeperImage {
    static final String LOCK = StateLayout.path(StateLayout.KEEPER) + "/lock";

    private static final List<String> PACKAGES = List.of("conntrack", "coreutils", "nftables", "util-linux");
    private static final String FLOCK = "/usr/bin/flock";
    private static final List<String> PROGRAMS =
            List.of("/usr/sbin/nft", "/usr/sbin/conntrack", "/usr/bin/sync", FLOCK);

    private static final String JAVA = "/opt/java/";
    private static final String OUR_JARS = "/opt/keeper/";
    private static final String DEPENDENCIES = "/opt/keeper/lib/";
    private static final String ARCHIVE = "/opt/keeper/keeper.jsa";

    /**
     * Little memory, and nothing written to a file system that is read-only. A keeper waits more than it computes: so one compiler,
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
    private final KeeperProgram program;
    private final JavaRuntime runtime;
    private final UnpackedPackages packages;
    private final Architecture architecture;

    KeeperImage(
            Processes processes,
            Disk disk,
            KeeperProgram program,
            JavaRuntime runtime,
            UnpackedPackages packages,
            Architecture architecture) {
        this.processes = processes;
        this.disk = disk;
        this.program = program;
        this.runtime = runtime;
        this.packages = packages;
        this.architecture = architecture;
    }

    ImageRecipe recipe(SortedMap<String, String> base, Progress progress) {
        Path java = runtime.resolve(progress);
        SortedMap<String, Path> ours = inDirectory(OUR_JARS, program.ours());
        SortedMap<String, Path> dependencies = inDirectory(DEPENDENCIES, program.dependencies());
        List<String> classPath = new ArrayList<>();
        program.ours().forEach(jar -> classPath.add(OUR_JARS + jar.getFileName()));
        program.dependencies().forEach(jar -> classPath.add(DEPENDENCIES + jar.getFileName()));
        String joinedPath = String.join(":", classPath);
        List<String> jvm = new ArrayList<>(List.of(JAVA + "bin/java"));
        jvm.addAll(flags(architecture));
        return new ImageRecipe(
                Component.KEEPER,
                ProductVersion.current(),
                "ouro " + ProductVersion.current() + " with " + runtime.origin(),
                List.of(
                        ImageLayer.ofPrograms("tools", tools(java, progress), base),
                        new ImageLayer(
                                "java",
                                below(JAVA, JavaRuntime.programs(java)),
                                below(JAVA, JavaRuntime.data(java)),
                                new TreeMap<>()),
                        ImageLayer.ofData("dependencies", dependencies),
                        ImageLayer.ofData("keeper", ours)),
                Optional.of(new ClassArchive(processes, disk, jvm, joinedPath, ARCHIVE)),
                entrypoint(jvm, joinedPath),
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

    private List<String> entrypoint(List<String> jvm, String classPath) {
        List<String> command = new ArrayList<>(List.of(FLOCK, "--no-fork", LOCK));
        command.addAll(jvm);
        command.addAll(List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-cp", classPath, program.mainClass()));
        return command;
    }

    /** With the shared libraries that the Java runtime needs as well, but for its own. */
    private SortedMap<String, Path> tools(Path java, Progress progress) {
        DebianPrograms debian = new DebianPrograms(packages, "keeper-programs", PACKAGES);
        Path root = debian.root(progress);
        SortedMap<String, Path> files = new TreeMap<>();
        PROGRAMS.forEach(program -> files.put(program, debian.existing(root, program)));
        List<Path> linked = new ArrayList<>(files.values());
        linked.addAll(JavaRuntime.programs(java).values());
        linked.addAll(JavaRuntime.data(java).values());
        Set<String> own = JavaRuntime.data(java).values().stream()
                .map(file -> String.valueOf(file.getFileName()))
                .filter(name -> name.endsWith(".so"))
                .collect(Collectors.toSet());
        files.putAll(new SharedLibraries(List.of(root), architecture).closure(linked, own));
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
