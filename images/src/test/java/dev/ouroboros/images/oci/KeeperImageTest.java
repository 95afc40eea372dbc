package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The keeper's image, made with the JDK of this test. What Debian's packages would bring is taken from this machine, which must
 * be Debian then: these tests run with the end-to-end ones. They share a cache, as what is built takes half a minute.
 */
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KeeperImageTest {
    private final Disk disk = new LocalDisk();
    private final LocalProcesses processes = new LocalProcesses();
    private final List<String> said = new ArrayList<>();
    private Path root = Path.of("");
    private Path keeperJar = Path.of("");

    /** Stands for the keeper in these tests. */
    static final class Greeting {
        private Greeting() {}

        public static void main(String[] arguments) {
            System.out.println("greetings to " + String.join(" ", arguments));
        }
    }

    @BeforeAll
    void makeAProgram(@TempDir Path directory) throws IOException {
        root = directory;
        Path jars = Files.createDirectories(root.resolve("jars"));
        keeperJar = jars.resolve("keeper-1.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Greeting.class.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, "model-1.jar library-2.jar");
        String name = Greeting.class.getName().replace('.', '/') + ".class";
        try (InputStream compiled = Greeting.class.getClassLoader().getResourceAsStream(name)) {
            assertThat(compiled).isNotNull();
            writeJar(keeperJar, manifest, name, compiled.readAllBytes());
        }
        writeJar(jars.resolve("model-1.jar"), new Manifest(), "dev/ouroboros/model/some.text", new byte[] {1});
        writeJar(jars.resolve("library-2.jar"), new Manifest(), "org/example/some.text", new byte[] {2});
    }

    @Test
    void putsWhatChangesRarelyBelowWhatChangesOften() throws IOException {
        ContainerImage image = build("one");
        List<String> layers = layers(unpack(image));

        assertThat(layers).hasSize(6);
        assertThat(layers.get(0)).contains("libc.so.6\n", "etc/passwd\n").doesNotContain("libnftables");
        assertThat(layers.get(1)).contains("opt/java/bin/java\n", "opt/java/lib/modules\n");
        assertThat(layers.get(2))
                .contains("usr/bin/flock\n", "usr/bin/sync\n", "usr/sbin/nft\n", "libnftables")
                .doesNotContain("libc.so.6\n");
        assertThat(layers.get(3)).contains("opt/keeper/lib/library-2.jar\n");
        assertThat(layers.get(4)).contains("opt/keeper/keeper-1.jar\n", "opt/keeper/model-1.jar\n");
        assertThat(layers.get(5)).contains("opt/keeper/keeper.jsa\n");
        assertThat(String.join("", layers))
                .doesNotContain("bin/sh\n", "bin/bash\n", "bin/dash\n", "bin/dpkg\n", "bin/apt\n", "libjvm.so.");
        assertThat(image.reference()).startsWith("localhost/ouroboros/keeper:");
    }

    /** A node has the C library and the Java runtime once. */
    @Test
    void sharesItsLowestLayersWithTheImageOfTheDns() throws IOException {
        List<String> keeper = layerFiles(unpack(build("one")));
        Path unpacked = unpack(build("one", BuiltImage.DNS));
        List<String> dns = layerFiles(unpacked);

        assertThat(dns).hasSize(5).startsWith(keeper.get(0), keeper.get(1));
        assertThat(layers(unpacked).get(4)).contains("opt/dns/dns.jsa\n");
    }

    @Test
    void buildsTheSameBytesTwice() throws IOException {
        ContainerImage first = build("one");
        Files.setLastModifiedTime(keeperJar, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000)));
        ContainerImage second = build("two");

        assertThat(second.archive()).isNotEqualTo(first.archive()).hasSameBinaryContentAs(first.archive());
    }

    @Test
    void buildsNothingThatIsThere() {
        ContainerImage first = build("one");
        said.clear();

        assertThat(build("one")).isEqualTo(first);
        assertThat(said).isEmpty();
    }

    @Test
    void waitsInFlockAndBecomesTheJvmWithItsClassArchive() throws IOException {
        Path unpacked = unpack(build("one"));
        Path container = Files.createDirectories(root.resolve("container/proc")).resolveSibling("");
        for (String layer : layerFiles(unpacked)) {
            run("tar", "-xzf", unpacked.resolve(layer).toString(), "-C", container.toString());
        }
        Files.createDirectories(container.resolve("var/lib/ouroboros/keeper"));
        List<String> entrypoint = entrypoint(Files.readString(unpacked.resolve("config.json")));

        assertThat(entrypoint)
                .startsWith("/usr/bin/flock", "--no-fork", "/var/lib/ouroboros/keeper/lock", "/opt/java/bin/java");
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--root=" + container));
        command.addAll(entrypoint);
        // With -Xshare:on the JVM does not start when the archive does not fit.
        command.add(command.size() - 1, "-Xshare:on");
        command.add("you");
        assertThat(processes.run(Command.of(command)).orThrow()).isEqualTo("greetings to you\n");
    }

    /** Where a JVM does not start with less, this is the only test on a machine of another kind that says so. */
    @Test
    void tellsOnlyAJvmOfAmd64ToHaveLessReadyOnItsStacks() {
        assertThat(JavaImage.flags(Architecture.AMD64)).contains("-XX:StackShadowPages=10");
        assertThat(JavaImage.flags(Architecture.ARM64)).noneMatch(flag -> flag.contains("StackShadowPages"));
    }

    @Test
    void namesTheJarThatIsMissing() throws IOException {
        Path alone = Files.copy(
                keeperJar, Files.createDirectories(root.resolve("alone")).resolve("keeper-1.jar"));

        assertThatThrownBy(() -> JavaProgram.of(alone))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("model-1.jar");
    }

    private static void writeJar(Path jar, Manifest manifest, String name, byte[] content) throws IOException {
        manifest.getMainAttributes().putIfAbsent(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            JarEntry entry = new JarEntry(name);
            entry.setTimeLocal(java.time.LocalDateTime.of(2000, 1, 1, 0, 0));
            out.putNextEntry(entry);
            out.write(content);
            out.closeEntry();
        }
    }

    private ContainerImage build(String cache) {
        return build(cache, BuiltImage.KEEPER);
    }

    private ContainerImage build(String cache, BuiltImage component) {
        CacheDirectory directory = new CacheDirectory(root.resolve(cache));
        copyTools(directory.packages().resolve("keeper-programs"));
        ImageBuilder builder = ImageBuilder.create(
                processes,
                disk,
                InstantSource.system(),
                directory,
                new ImageCache(disk, directory),
                new UnpackedPackages(processes, disk, directory),
                new ImageBuilder.Daemons(
                        Optional.of(JavaProgram.of(keeperJar)),
                        Optional.of(JavaProgram.of(keeperJar)),
                        Optional.of(JavaProgram.of(keeperJar))),
                Architecture.of(System.getProperty("os.arch")));
        Map<Binary, Path> files = new EnumMap<>(Binary.class);
        for (Binary binary : Binary.values()) {
            files.put(binary, keeperJar);
        }
        files.remove(Binary.KUBE_PROXY);
        return builder.build(new Binaries("a test", "1.36.2", "3.5.30", files, List.of()), said::add).stream()
                .filter(image -> image.component() == component)
                .findFirst()
                .orElseThrow();
    }

    /** As Debian's packages would be unpacked. */
    private void copyTools(Path packages) {
        if (Files.isDirectory(packages)) {
            return;
        }
        List<Path> programs = Stream.of("/usr/bin/flock", "/usr/bin/sync", "/usr/sbin/nft")
                .map(Path::of)
                .toList();
        Path java = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
        List<Path> linked = new ArrayList<>(programs);
        linked.add(java);
        Map<String, Path> all =
                new TreeMap<>(new SharedLibraries(List.of(Path.of("/")), Architecture.of(System.getProperty("os.arch")))
                        .closure(linked));
        programs.forEach(program -> all.put(program.toString(), program));
        all.forEach((path, file) -> {
            Path copy = packages.resolve(path.substring(1));
            disk.createDirectories(Optional.ofNullable(copy.getParent()).orElseThrow(), "rwxr-xr-x");
            disk.copy(file, copy, "rwxr-xr-x");
        });
    }

    private Path unpack(ContainerImage image) throws IOException {
        Path unpacked = Files.createDirectories(root.resolve("unpacked-" + image.component()));
        run("tar", "-xf", image.archive().toString(), "-C", unpacked.toString());
        return unpacked;
    }

    private List<String> layers(Path unpacked) throws IOException {
        List<String> listings = new ArrayList<>();
        for (String layer : layerFiles(unpacked)) {
            listings.add(run("tar", "-tzf", unpacked.resolve(layer).toString()));
        }
        return listings;
    }

    /** In the manifest's order, the lowest first. */
    private static List<String> layerFiles(Path unpacked) throws IOException {
        Matcher names = Pattern.compile("[0-9a-f]+\\.tar\\.gz")
                .matcher(Files.readString(unpacked.resolve("manifest.json"), StandardCharsets.UTF_8));
        List<String> files = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        while (names.find()) {
            if (seen.add(names.group())) {
                files.add(names.group());
            }
        }
        return files;
    }

    private static List<String> entrypoint(String config) {
        Matcher list = Pattern.compile("\"Entrypoint\":\\[([^]]*)]").matcher(config);
        assertThat(list.find()).isTrue();
        return List.of(list.group(1).replace("\"", "").split(","));
    }

    private String run(String... command) {
        return processes.run(Command.of(command)).orThrow();
    }
}
