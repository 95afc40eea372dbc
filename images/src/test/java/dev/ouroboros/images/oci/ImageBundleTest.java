package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the tar and sha256sum of this machine. */
final class ImageBundleTest {
    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");
    private ImageBundle bundle = new ImageBundle(new LocalProcesses(), new LocalDisk(), new CacheDirectory(directory));

    @BeforeEach
    void write() throws IOException {
        bundle = new ImageBundle(new LocalProcesses(), new LocalDisk(), new CacheDirectory(directory.resolve("cache")));
        file = directory.resolve("bundle.tar");
        bundle.write(
                file,
                binaries(),
                List.of(image(BuiltImage.ETCD, "3.6.14"), image(BuiltImage.KUBE_APISERVER, "1.36.3")));
    }

    private Binaries binaries() throws IOException {
        Map<Binary, Path> programs = new TreeMap<>();
        for (Binary binary : Binary.values()) {
            programs.put(binary, Files.writeString(directory.resolve(binary.fileName()), "program " + binary));
        }
        return new Binaries("a test", "1.36.3", "3.6.14", programs, List.of());
    }

    private ContainerImage image(BuiltImage component, String tag) throws IOException {
        Path archive = Files.writeString(directory.resolve(component + ".tar"), "layers of " + component);
        return new ContainerImage(component, tag, "abc123", "a test", archive, Files.size(archive));
    }

    @Test
    void whatIsReadIsWhatWasWritten() {
        bundle.read(file, read -> {
            assertThat(read.kubernetesVersion()).isEqualTo("1.36.3");
            assertThat(read.images())
                    .extracting(ContainerImage::uniqueReference)
                    .containsExactly(
                            "localhost/ouroboros/etcd:3.6.14-abc123",
                            "localhost/ouroboros/kube-apiserver:1.36.3-abc123");
            assertThat(read.images().getFirst().archive()).hasContent("layers of ETCD");
            assertThat(read.programs()).containsOnlyKeys("kubelet", "kubectl", "etcdctl", "etcdutl");
            assertThat(read.programs().get("kubelet"))
                    .hasContent("program KUBELET")
                    .isExecutable();
            return read;
        });
        try (Stream<Path> left = Files.list(directory.resolve("cache/bundles"))) {
            assertThat(left.map(path -> path.getFileName().toString())).containsExactly(".lock");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theSameContentMakesTheSameBytes() throws IOException {
        byte[] before = Files.readAllBytes(file);
        write();
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void aPartThatWasChangedIsNamedAndNothingIsHandedOver() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("layers of ETCD");
        bytes[at] ^= 1;
        Files.write(file, bytes);

        assertDamaged("images/etcd_3.6.14_abc123.tar: is not what its checksum says");
    }

    @Test
    void aFileThatIsCutIsRefusedWhereverItEnds() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        for (int length = 0; length < bytes.length - 1024; length += 1024) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> bundle.read(file, _ -> {
                        throw new AssertionError("handed over");
                    }))
                    .as("cut at %d of %d", length, bytes.length)
                    .isInstanceOf(ProblemException.class);
        }
    }

    @Test
    void whatHasNoChecksumIsRefused() throws IOException {
        Path extra = Files.createDirectories(directory.resolve("more/bin"));
        Files.writeString(extra.resolve("unasked"), "x");
        new LocalProcesses()
                .run(dev.ouroboros.node.process.Command.of(
                        "tar",
                        "-rf",
                        file.toString(),
                        "-C",
                        directory.resolve("more").toString(),
                        "bin/unasked"))
                .orThrow();

        assertDamaged("bin/unasked: is no file that has a checksum");
    }

    @Test
    void aPartThatIsMissingIsNamed() throws IOException {
        run("tar", "--delete", "--file=" + file, "images/etcd_3.6.14_abc123.tar");

        assertDamaged("images/etcd_3.6.14_abc123.tar: is missing");
    }

    @Test
    void aChecksumThatIsNoneIsRefusedAlthoughTheOthersAreRight() throws IOException {
        unpacked();
        run(
                "sed",
                "-i",
                "s/^.*  bundle.json$/none  bundle.json/",
                directory.resolve("unpacked/SHA256SUMS").toString());
        run("sh", "-c", "cd " + directory.resolve("unpacked") + " && tar -cf " + file + " *");

        assertDamaged("SHA256SUMS: sha256sum: WARNING: 1 line is improperly formatted");
    }

    @Test
    void aBundleThatVanishesWhereItWasPutIsNotTakenForWritten() throws IOException {
        ImageBundle losing = new ImageBundle(
                new LocalProcesses(), LosingDisk.after("copy", file), new CacheDirectory(directory.resolve("cache")));
        List<ContainerImage> images = List.of(image(BuiltImage.ETCD, "3.6.14"));

        Refusal.of(() -> losing.write(file, binaries(), images), ErrorCode.DISK)
                .where(file)
                .whatStartsWith("cannot be read: no such file")
                .nextContains("run the same command again");
    }

    @Test
    void anotherFileAndNoFileAreTold() throws IOException {
        Files.writeString(file, "not a tar archive, but long enough to be looked at".repeat(50));
        assertThatThrownBy(() -> bundle.read(file, read -> read)).hasMessageContaining("ouro images bundle");
        Files.delete(file);
        assertThatThrownBy(() -> bundle.read(file, read -> read)).hasMessageContaining("does not exist");
    }

    @Test
    void aWholeBundleThatThisVersionCannotReadIsTold() throws IOException {
        String about = unpacked();
        repacked("nothing");
        assertDamaged("bundle.json: is no JSON");
        repacked(about.replace("ImageBundle", "Other"));
        assertDamaged("bundle.json is not of kind ImageBundle");
        repacked(about.replace("\"etcd\"", "\"zookeeper\""));
        assertDamaged("has an image of 'zookeeper', which this version does not know");
        repacked(about.replace("\"abc123\"", "\"def456\""));
        assertDamaged("has no image localhost/ouroboros/etcd:3.6.14");
        Files.delete(directory.resolve("unpacked/bundle.json"));
        repacked("");
        assertDamaged("has no bundle.json");
    }

    /** What says what is in the bundle. */
    private String unpacked() throws IOException {
        Path into = Files.createDirectories(directory.resolve("unpacked"));
        run("tar", "-xf", file.toString(), "-C", into.toString());
        return Files.readString(into.resolve("bundle.json"));
    }

    /** The same with another list of what is in it, or none, and with right checksums. */
    private void repacked(String about) throws IOException {
        Path from = directory.resolve("unpacked");
        if (!about.isEmpty()) {
            Files.writeString(from.resolve("bundle.json"), about);
        }
        run(
                "sh",
                "-c",
                "cd " + from + " && rm -f SHA256SUMS && find . -type f -printf '%P\\n' | xargs sha256sum -- >../sums"
                        + " && mv ../sums SHA256SUMS && tar -cf " + file + " *");
    }

    private static void run(String... command) {
        new LocalProcesses().run(dev.ouroboros.node.process.Command.of(command)).orThrow();
    }

    private void assertDamaged(String what) {
        assertThatThrownBy(() -> bundle.read(file, _ -> {
                    throw new AssertionError("handed over");
                }))
                .isInstanceOfSatisfying(ProblemException.class, refused -> {
                    assertThat(refused.problems()).allMatch(problem -> problem.code() == ErrorCode.DAMAGED_FILE);
                    assertThat(refused.problems().stream()
                                    .map(problem -> problem.where() + ": " + problem.what())
                                    .collect(Collectors.joining()))
                            .contains(what);
                });
    }
}
