package dev.ouroboros.runtime.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.images.oci.BuiltImage;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.runtime.containerd.TestContainerd;
import dev.ouroboros.runtime.cri.CriRuntime;
import dev.ouroboros.runtime.grpc.GrpcCall;
import dev.ouroboros.runtime.image.ImageArchive.Outcome;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** On a containerd of its own: lost images come back as they were. */
@Tag("e2e")
@Timeout(120)
final class ImageArchiveTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    @TempDir
    private Path directory = Path.of("");

    private final Disk disk = new LocalDisk();
    private final List<String> seenAtSync = new ArrayList<>();
    private boolean refuseToSync;
    private TestContainerd containerd;
    private CriRuntime runtime;
    private ImageArchive images;
    private Path file;
    private String image;

    @BeforeEach
    void startContainerd() throws IOException {
        containerd = TestContainerd.start(directory);
        runtime = new CriRuntime(containerd.socket(), LIMIT);
        images = new ImageArchive(containerd.socket(), LIMIT, disk, InstantSource.system(), this::sync);
        file = directory.resolve("image.tar");
        image = containerd.loadImage(BuiltImage.PAUSE);
    }

    @AfterEach
    void stopContainerd() throws IOException, InterruptedException {
        containerd.close();
    }

    @Test
    void bringsBackAnImageThatWasCollected() throws IOException {
        String listed = digestOf(image);
        assertThat(images.save(image, file)).isEqualTo(listed);

        lose(image);
        assertThat(containerd.ctr("content", "ls", "-q")).isEmpty();
        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);

        assertThat(digestOf(image)).isEqualTo(listed);
        awaitImage(image);
        containerd.ctr("images", "tag", image, "localhost/other:1");
        containerd.ctr("images", "rm", "--sync", "localhost/other:1"); // collects garbage before it returns
        assertThat(containerd.ctr("images", "check", "name==" + image)).contains("complete");
        String sandbox = containerd.runSandbox("pod", Map.of());
        containerd.runContainer(sandbox, "pod", "container", 0, image);
        assertThat(runtime.pods().getFirst().containers()).hasSize(1);
        assertThat(images.restore(file)).isEqualTo(Outcome.PRESENT);
        assertThat(containerd.ctr("leases", "ls", "-q")).isEmpty();
    }

    /** Else a power cut before the sync would leave a snapshot with empty files that containerd believes. */
    @Test
    void syncsEachLayerBeforeItHasItsName() throws IOException {
        images.save(image, file);
        lose(image);

        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);

        assertThat(snapshots())
                .singleElement()
                .satisfies(name -> assertThat(seenAtSync).containsExactly("ouroboros-" + name));
    }

    @Test
    void bringsAnImageBackPackedWhenItCannotBeSynced() throws IOException {
        images.save(image, file);
        lose(image);
        refuseToSync = true;

        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED_PACKED);

        awaitImage(image);
        String sandbox = containerd.runSandbox("pod", Map.of());
        containerd.runContainer(sandbox, "pod", "container", 0, image);
        assertThat(runtime.pods().getFirst().containers()).hasSize(1);
    }

    @Test
    void unpacksAnewWhatAnAttemptLeftThatWasCutOff() throws IOException {
        images.save(image, file);
        lose(image);
        images.restore(file);
        String name = snapshots().getFirst();
        lose(image);
        try (ContainerdSession session = ContainerdSession.open(containerd.socket(), LIMIT)) {
            session.lease(
                    "ouroboros-" + image(file).hex(),
                    InstantSource.system().instant().plusSeconds(60));
            assertThat(session.snapshotter()).isEqualTo("native");
            assertThat(session.prepareSnapshot("native", "ouroboros-" + name, ""))
                    .hasSize(1);
        }
        assertThat(snapshots()).containsExactly("ouroboros-" + name);

        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);

        assertThat(snapshots()).containsExactly(name);
    }

    private void sync() {
        if (refuseToSync) {
            throw ProblemException.of(ErrorCode.TIMEOUT, "sync", "hangs", "", "try again");
        }
        seenAtSync.addAll(snapshots());
    }

    private List<String> snapshots() {
        return containerd
                .ctr("snapshots", "--snapshotter", "native", "ls")
                .lines()
                .skip(1)
                .map(line -> line.split("\\s+", 2)[0])
                .toList();
    }

    @Test
    void isReadByContainerdItself() throws IOException {
        String digest = images.save(image, file);
        lose(image);
        containerd.ctr("images", "import", file.toString());
        assertThat(digestOf(image)).isEqualTo(digest);
    }

    @Test
    void writesOnlyWhatHasChanged() throws IOException {
        images.save(image, file);
        Object first = Files.getAttribute(file, "unix:ino");
        images.save(image, file);
        assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(first);

        String other = containerd.loadImage(BuiltImage.ETCD);
        containerd.ctr("images", "tag", "--force", other, image);
        assertThat(images.save(image, file)).isEqualTo(digestOf(other));
        assertThat(Files.getAttribute(file, "unix:ino")).isNotEqualTo(first);
        disk.write(file, "foreign".getBytes(UTF_8), "rw-------");
        images.save(image, file);
        assertThat(images.restore(file)).isEqualTo(Outcome.PRESENT);
        assertThat(disk.list(directory)).noneMatch(name -> name.endsWith(".partial"));
    }

    @Test
    void leavesANameAloneThatBelongsToAnotherImage() throws IOException {
        images.save(image, file);
        String other = containerd.loadImage(BuiltImage.ETCD);
        containerd.ctr("images", "tag", "--force", other, image);
        assertThat(images.restore(file)).isEqualTo(Outcome.NAME_TAKEN);
        assertThat(digestOf(image)).isEqualTo(digestOf(other));
    }

    @Test
    void pinsWhatItSavesUntilItIsTold() {
        images.save(image, file);
        assertThat(labelsOf(image)).contains("io.cri-containerd.pinned=pinned");
        assertThat(images.unpin(image)).isTrue();
        assertThat(labelsOf(image)).doesNotContain("pinned").contains("io.cri-containerd.image=managed");
        assertThat(images.unpin("localhost/nothing:1")).isFalse();
    }

    @Test
    void goesOnWhereAnAttemptWasKilled() throws IOException {
        images.save(image, file);
        lose(image);
        Descriptor layer = layer();
        try (ContainerdSession session = ContainerdSession.open(containerd.socket(), LIMIT)) {
            session.lease(
                    "ouroboros-" + image(file).hex(),
                    InstantSource.system().instant().plusSeconds(60));
            GrpcCall half = session.writeContent();
            half.send(new MessageWriter()
                    .number(1, 1)
                    .text(2, "ouroboros-" + layer.digest())
                    .number(3, layer.size())
                    .text(4, layer.digest())
                    .bytes(6, new byte[10])
                    .toBytes());
            assertThat(half.receive()).isPresent();
        }
        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);
        awaitImage(image);
    }

    @Test
    void completesAnImageThatHasLostALayer() throws IOException {
        images.save(image, file);
        containerd.ctr("content", "rm", layer().digest());
        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);
        assertThat(containerd.ctr("images", "check", "name==" + image)).contains("complete");
    }

    @Test
    void keepsAnImageForSeveralPlatformsWithTheOneThatIsThere() throws IOException {
        Descriptor manifest;
        Descriptor index;
        String name = "localhost/index:1";
        try (ContainerdSession session = ContainerdSession.open(containerd.socket(), LIMIT)) {
            session.lease("test", InstantSource.system().instant().plusSeconds(60));
            manifest = session.findImage(image).orElseThrow();
            byte[] document = """
                    {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
                    {"mediaType": "%1$s", "digest": "sha256:%2$s", "size": 7, "platform": {"architecture": "arm64", "os": "linux"}},
                    {"mediaType": "%1$s", "digest": "%3$s", "size": %4$d, "platform": {"architecture": "amd64", "os": "linux"}}]}
                    """.formatted(manifest.mediaType(), "0".repeat(64), manifest.digest(), manifest.size())
                    .getBytes(UTF_8);
            index = new Descriptor(
                    "application/vnd.oci.image.index.v1+json", "sha256:" + sha256(document), document.length);
            new BlobWriter(session).write(index, new ByteArrayInputStream(document));
            session.labelContent(index, Map.of("containerd.io/gc.ref.content.m.1", manifest.digest()));
            session.createImage(name, index, Map.of());
            session.releaseLease("test");
        }
        awaitImage(name);
        assertThat(images.save(name, file)).isEqualTo(index.digest());
        lose(image);
        lose(name);
        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);
        assertThat(digestOf(name)).isEqualTo(index.digest());
        awaitImage(name);
    }

    @Test
    void refusesADamagedArchiveAndBringsNothingBack() throws IOException {
        images.save(image, file);
        byte[] whole = disk.read(file).orElseThrow();
        lose(image);
        byte[] changed = whole.clone();
        int inLayer = whole.length - 3 * Tar.BLOCK + 5;
        changed[inLayer] ^= 1;
        disk.write(file, changed, "rw-------");
        Refusal.of(() -> images.restore(file), ErrorCode.FOREIGN_FILE).lineContains("has another digest");
        disk.write(file, Arrays.copyOf(whole, whole.length - 3 * Tar.BLOCK), "rw-------");
        Refusal.of(() -> images.restore(file), ErrorCode.FOREIGN_FILE).lineContains("cut off");
        assertThat(runtime.hasImage(image)).isFalse();
        disk.delete(file);
        Refusal.of(() -> images.restore(file), ErrorCode.FOREIGN_FILE).lineContains("image.tar");

        disk.write(file, whole, "rw-------");
        assertThat(images.restore(file)).isEqualTo(Outcome.RESTORED);
    }

    @Test
    void saysWhatAnImageLacks() throws IOException {
        Refusal.of(() -> images.save("localhost/nothing:1", file), ErrorCode.NOT_FOUND)
                .lineContains("does not have this image");
        String layer = layer().digest();
        containerd.ctr("content", "rm", layer);
        Refusal.of(() -> images.save(image, file), ErrorCode.NOT_FOUND).lineContains(layer);
        assertThat(file).doesNotExist();
    }

    @Test
    void leavesNothingOnADiskWithoutRoom() {
        Path small = directory.resolve("small");
        disk.createDirectories(small, "rwxr-xr-x");
        run("mount", "-t", "tmpfs", "-o", "size=1m", "none", small.toString());
        try {
            Refusal.of(() -> images.save(image, small.resolve("image.tar")), ErrorCode.DISK)
                    .lineContains("no room for the image");
            assertThat(disk.list(small)).isEmpty();
        } finally {
            run("umount", small.toString());
        }
    }

    private void lose(String name) throws IOException {
        containerd.removeImage(name);
        for (String left : containerd.ctr("images", "ls", "-q").lines().toList()) {
            if (!left.startsWith("localhost/index")) {
                containerd.ctr("images", "rm", "--sync", left);
            }
        }
    }

    /** The interface follows containerd's events. */
    private void awaitImage(String name) {
        TestContainerd.await("the image " + name, () -> runtime.hasImage(name));
    }

    private String digestOf(String name) {
        return column(name, 2);
    }

    private String labelsOf(String name) {
        return column(name, 6);
    }

    /** Of {@code ctr images ls}: name, type, digest, size and its unit, platforms, labels. */
    private String column(String name, int index) {
        return containerd
                .ctr("images", "ls")
                .lines()
                .map(line -> List.of(line.split("\\s+")))
                .filter(columns -> columns.getFirst().equals(name))
                .findFirst()
                .orElseThrow()
                .get(index);
    }

    private Descriptor image(Path archive) throws IOException {
        try (var in = Files.newInputStream(archive)) {
            return ImageLayout.readIndex(in).image();
        }
    }

    /** The only layer of the image, from containerd or, when it is lost there, from the archive. */
    private Descriptor layer() throws IOException {
        Optional<byte[]> manifest = Optional.empty();
        try (ContainerdSession session = ContainerdSession.open(containerd.socket(), LIMIT)) {
            Optional<Descriptor> found = session.findImage(image);
            if (found.isPresent()) {
                try (BlobInputStream content = new BlobInputStream(session, found.get())) {
                    manifest = Optional.of(content.readAllBytes());
                }
            }
        }
        byte[] document = manifest.isPresent()
                ? manifest.get()
                : run(
                                "tar",
                                "-xOf",
                                file.toString(),
                                "blobs/sha256/" + image(file).hex())
                        .getBytes(UTF_8);
        return ImageDocuments.references(document).getLast().descriptor();
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String run(String... command) {
        return new LocalProcesses().run(Command.of(command)).orThrow();
    }
}
