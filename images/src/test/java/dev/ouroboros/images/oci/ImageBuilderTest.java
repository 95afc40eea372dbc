package dev.ouroboros.images.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImageBuilderTest {
    @TempDir
    private Path root = Path.of("");

    private final Disk disk = new LocalDisk();
    private final LocalProcesses processes = new LocalProcesses();
    private final List<String> said = new ArrayList<>();
    private final Map<Binary, Path> files = new EnumMap<>(Binary.class);

    @BeforeEach
    void makeBinaries() {
        for (Binary binary : Binary.values()) {
            Path file = root.resolve(binary.fileName());
            disk.write(file, ("#!" + binary.fileName()).getBytes(StandardCharsets.UTF_8), "rwxr-xr-x");
            files.put(binary, file);
        }
        files.remove(Binary.KUBE_PROXY);
        files.remove(Binary.PAUSE);
    }

    @Test
    void buildsTheSameBytesTwice() throws IOException {
        List<ContainerImage> first = build("one");
        for (Path file : files.values()) {
            Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH.plusSeconds(12345)));
        }
        List<ContainerImage> second = build("two");

        assertThat(first).hasSameSizeAs(second).hasSize(5);
        for (int index = 0; index < first.size(); index++) {
            assertThat(first.get(index).archive())
                    .hasSameBinaryContentAs(second.get(index).archive());
            assertThat(first.get(index).archive())
                    .isNotEqualTo(second.get(index).archive());
        }
    }

    @Test
    void buildsNothingThatIsThere() {
        List<ContainerImage> first = build("one");
        said.clear();

        assertThat(build("one")).isEqualTo(first);
        assertThat(said).isEmpty();
        assertThat(new ImageCache(disk, new CacheDirectory(root.resolve("one"))).list())
                .containsExactlyElementsOf(first);
    }

    @Test
    void knowsWhatIsThereWithoutBuildingAnything() {
        assertThat(builder("one", Architecture.AMD64).present(binaries())).isEmpty();
        assertThat(root.resolve("one")).doesNotExist();

        List<ContainerImage> built = build("one");
        assertThat(builder("one", Architecture.AMD64).present(binaries())).contains(built);

        disk.delete(built.getFirst().archive());
        assertThat(builder("one", Architecture.AMD64).present(binaries())).isEmpty();
    }

    @Test
    void buildsAgainWhatHasOtherContent() {
        ContainerImage first = build("one").getFirst();
        disk.write(root.resolve("kube-apiserver"), "changed".getBytes(StandardCharsets.UTF_8), "rwxr-xr-x");
        ContainerImage second = build("one").getFirst();

        assertThat(second.reference()).isEqualTo(first.reference());
        assertThat(second.uniqueReference()).isNotEqualTo(first.uniqueReference());
        assertThat(said).filteredOn(line -> line.contains("kube-apiserver")).hasSize(2);
    }

    @Test
    void ignoresAndReplacesWhatAnInterruptedBuildLeft() {
        Path images = root.resolve("one/images");
        disk.createDirectories(images.resolve(".work/layers"), "rwxr-xr-x");
        disk.write(images.resolve(".work/image.tar"), new byte[10], "rw-r--r--");

        List<ContainerImage> built = build("one");

        assertThat(disk.list(images)).doesNotContain(".work");
        assertThat(new ImageCache(disk, new CacheDirectory(root.resolve("one"))).list())
                .containsExactlyElementsOf(built);
    }

    @Test
    void putsTheBinaryOnThePathAndMakesItTheEntrypoint() throws IOException {
        ContainerImage etcd = build("one").stream()
                .filter(image -> image.component() == BuiltImage.ETCD)
                .findFirst()
                .orElseThrow();
        Path unpacked = Files.createDirectories(root.resolve("unpacked"));
        run("tar", "-xf", etcd.archive().toString(), "-C", unpacked.toString());
        String manifest = Files.readString(unpacked.resolve("manifest.json"));
        String config = Files.readString(unpacked.resolve("config.json"));
        String layer = disk.list(unpacked).stream()
                .filter(name -> name.endsWith(".tar.gz"))
                .findFirst()
                .orElseThrow();

        assertThat(manifest)
                .contains("localhost/ouroboros/etcd:3.5.30\"", "localhost/ouroboros/etcd:3.5.30-" + etcd.key());
        assertThat(config).contains("\"/usr/local/bin/etcd\"", "PATH=/usr/local/sbin:/usr/local/bin", "\"linux\"");
        assertThat(run("tar", "-tvzf", unpacked.resolve(layer).toString()))
                .containsPattern("-rwxr-xr-x 0/0 .* usr/local/bin/etcd\n")
                .containsPattern("-rwxr-xr-x 0/0 .* usr/local/bin/etcdctl\n")
                .containsPattern("-rw-r--r-- 0/0 .* etc/passwd\n");
    }

    @Test
    void makesAPauseImageOfOurOwnWhenThereIsNone() {
        assertThat(build("one").getLast().reference()).isEqualTo("localhost/ouroboros/pause:1");
    }

    @Test
    void asksForAPauseWhereWeHaveNone() {
        Refusal.of(() -> build("one", Architecture.ARM64), ErrorCode.NOT_FOUND)
                .lineContains("a test: has no pause")
                .nextContains("put a pause binary into the directory of --binaries");
    }

    private List<ContainerImage> build(String cache) {
        return build(cache, Architecture.AMD64);
    }

    private List<ContainerImage> build(String cache, Architecture architecture) {
        return builder(cache, architecture).build(binaries(), said::add);
    }

    private Binaries binaries() {
        return new Binaries("a test", "1.36.2", "3.5.30", files, List.of());
    }

    private ImageBuilder builder(String cache, Architecture architecture) {
        CacheDirectory directory = new CacheDirectory(root.resolve(cache));
        return ImageBuilder.create(
                processes,
                disk,
                InstantSource.system(),
                directory,
                new ImageCache(disk, directory),
                new UnpackedPackages(processes, disk, directory),
                ImageBuilder.Daemons.find(List.of()),
                architecture);
    }

    private String run(String... command) {
        return processes.run(Command.of(command)).orThrow();
    }
}
