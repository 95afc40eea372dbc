package dev.ouroboros.images.oci;

import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the keeper's image is made of, and what is said when a part of it is not there. */
final class KeeperPartsTest {
    @TempDir
    private Path directory = Path.of("");

    private Path jar(String name, Map<Attributes.Name, String> attributes) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach(manifest.getMainAttributes()::put);
        Path jar = directory.resolve(name);
        try (OutputStream file = Files.newOutputStream(jar)) {
            new JarOutputStream(file, manifest).close();
        }
        return jar;
    }

    @Test
    void aJarWithoutAMainClassIsADefectOfTheBuild() throws IOException {
        Path keeper = jar("keeper.jar", Map.of());
        Refusal.of(() -> JavaProgram.of(keeper), ErrorCode.INTERNAL, keeper, "names no main class", "build ouro again");
    }

    @Test
    void aJarThatIsNamedAndNotThereIsMissing() throws IOException {
        Path keeper = jar("keeper.jar", Map.of(Attributes.Name.CLASS_PATH, "model.jar"));
        Refusal.of(
                () -> JavaProgram.of(keeper),
                ErrorCode.NOT_FOUND,
                directory.resolve("model.jar"),
                "is missing",
                "build ouro again");
        Files.writeString(directory.resolve("model.jar"), "no jar");
        Refusal.of(
                () -> JavaProgram.of(keeper),
                ErrorCode.DISK,
                directory.resolve("model.jar"),
                "cannot be read",
                "run the same command again");
        Refusal.of(
                () -> JavaProgram.of(directory.resolve("none.jar")),
                ErrorCode.DISK,
                directory.resolve("none.jar"),
                "cannot be read",
                "put it back");
    }

    @Test
    void aJavaWithoutItsLinkerMakesNoRuntime() {
        JavaRuntime runtime = new JavaRuntime(
                new LocalProcesses(),
                new LocalDisk(),
                new CacheDirectory(directory.resolve("cache")),
                directory.resolve("jre"));
        Refusal.of(
                () -> runtime.resolve(_ -> {}),
                ErrorCode.MISSING_TOOL,
                directory.resolve("jre"),
                "has no jlink",
                "install the JDK's package with jlink");
    }

    @Test
    void aRuntimeThatIsGoneIsNotAnEmptyOne() {
        Path runtime = directory.resolve("runtime");
        Refusal.of(
                () -> JavaRuntime.programs(runtime),
                ErrorCode.DISK,
                runtime,
                "cannot be listed: no such file",
                "put it back");
    }

    @Test
    void aJarThatVanishesWhereItWasLaidOutEndsTheClassArchive() throws IOException {
        Path keeper = jar("keeper.jar", Map.of());
        Path copy = directory.resolve("work/root/opt/keeper/keeper.jar");
        ClassArchive archive = new ClassArchive(
                new LocalProcesses(),
                LosingDisk.after("copy", copy),
                "keeper.classes",
                List.of("/opt/java/bin/java"),
                "/opt/keeper/keeper.jar",
                "/opt/keeper/keeper.jsa");
        List<ImageLayer> below = List.of(ImageLayer.ofData("keeper", Map.of("/opt/keeper/keeper.jar", keeper)));
        Refusal.of(
                () -> archive.make(below, directory.resolve("work")),
                ErrorCode.DISK,
                copy,
                "its time cannot be set: no such file",
                "run the same command again");
    }
}
