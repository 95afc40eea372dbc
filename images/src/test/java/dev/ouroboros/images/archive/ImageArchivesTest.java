package dev.ouroboros.images.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.node.process.Result;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With the tar of this machine. */
final class ImageArchivesTest {
    @TempDir
    private Path directory = Path.of("");

    private final Engines engines = new Engines();
    private InputStream input = InputStream.nullInputStream();

    @Test
    void dockersArchiveHasTheNamesThatPodsAreCompletedTo() throws IOException {
        TestArchive archive = TestArchive.ofDocker("amd64", "[\"busybox\",\"team/app:1\"]");
        assertThat(read(archive.at(file("docker.tar"))).getFirst().names())
                .containsExactly("docker.io/library/busybox:latest", "docker.io/team/app:1");
    }

    @Test
    void whatIsHandedOverIsAnArchiveOfOciWithTheSameContent() throws IOException {
        Path saved = TestArchive.ofDocker("amd64", "[\"a:1\"]").at(file("docker.tar"));
        archives().read(List.of(saved.toString()), Optional.empty(), _ -> {}, images -> {
            NamedImage image = images.getFirst();
            ArchiveContent again =
                    ArchiveContent.unpack(new LocalDisk(), image.archive(), "again", directory.resolve("again"));
            Json entry = again.document("index.json").at("manifests").items().getFirst();
            assertThat(entry.at("digest").text()).contains(image.digest());
            assertThat(entry.at("annotations", "io.containerd.image.name").text())
                    .contains("docker.io/library/a:1");
            assertThat(again.has(ArchiveContent.BLOBS + TestArchive.hex(TestArchive.LAYER)))
                    .isTrue();
        });
    }

    @Test
    void theDigestOfAnImageIsTheSameEachTime() throws IOException {
        Path saved = TestArchive.ofDocker("amd64", "[\"a:1\"]").at(file("docker.tar"));
        assertThat(read(saved).getFirst().digest())
                .isEqualTo(read(saved).getFirst().digest());
    }

    @Test
    void aLayerMayBeALinkToAnother() throws IOException {
        TestArchive archive = TestArchive.ofDocker("amd64", "[\"a:1\"]");
        archive.entries.put("0456/layer.tar", TestArchive.LAYER);
        archive.entries.remove("0123/layer.tar");
        archive.entries.put("->0123/layer.tar", TestArchive.bytes("../0456/layer.tar"));
        assertThat(read(archive.at(file("a.tar")))).hasSize(1);
    }

    @Test
    void aLinkLeadsToNoFileOfThisMachine() throws IOException {
        TestArchive archive = TestArchive.ofDocker("amd64", "[\"a:1\"]");
        Path outside = Files.write(file("outside"), TestArchive.LAYER);
        archive.entries.remove("0123/layer.tar");
        archive.entries.put("->0123/layer.tar", TestArchive.bytes(outside.toString()));
        Path file = archive.at(file("a.tar"));
        Refusal.of(() -> read(file), ErrorCode.DAMAGED_FILE).lineContains("entry 0123/layer.tar", "is missing");
    }

    @Test
    void anArchiveOfOciIsReadForThisPlatform() throws IOException {
        Path named = TestArchive.ofOci(
                        "amd64",
                        "\"io.containerd.image.name\":\"docker.io/library/app:2\","
                                + "\"org.opencontainers.image.ref.name\":\"2\"")
                .at(file("oci.tar"));
        assertThat(read(named).getFirst().names()).containsExactly("docker.io/library/app:2");
        Path skopeos = TestArchive.ofOci("amd64", "\"org.opencontainers.image.ref.name\":\"quay.io/a/b:3\"")
                .at(file("skopeo.tar"));
        assertThat(read(skopeos).getFirst().names()).containsExactly("quay.io/a/b:3");
    }

    @Test
    void eitherKindMayBeCompressed() throws IOException {
        Path docker = Files.write(
                file("docker.tgz"),
                TestArchive.gzip(TestArchive.ofDocker("amd64", "[\"a:1\"]").tar()));
        Path oci = Files.write(
                file("oci.tgz"),
                TestArchive.gzip(TestArchive.ofOci("amd64", "\"io.containerd.image.name\":\"docker.io/library/a:1\"")
                        .tar()));
        assertThat(read(docker)).hasSize(1);
        assertThat(read(oci)).hasSize(1);
    }

    @Test
    void anImageWithoutANameNeedsOne() throws IOException {
        Path file = TestArchive.ofDocker("amd64", "null").at(file("a.tar"));
        Refusal.of(() -> read(file), ErrorCode.UNUSABLE_IMAGE).lineContains("gives the image no name", "--as NAME");
        assertThat(readAs("mine", file).getFirst().names()).containsExactly("docker.io/library/mine:latest");
        Path tagOnly = TestArchive.ofOci("amd64", "\"org.opencontainers.image.ref.name\":\"latest\"")
                .at(file("b.tar"));
        Refusal.of(() -> read(tagOnly), ErrorCode.UNUSABLE_IMAGE).lineContains("index.json", "gives the image no name");
    }

    @Test
    void aCutOffArchiveIsRefusedWhereverItIsCut() throws IOException {
        byte[] whole = TestArchive.ofDocker("amd64", "[\"a:1\"]").tar();
        byte[] compressed = TestArchive.gzip(whole);
        for (int length = 700; length < 8000; length += 512) {
            Path file = Files.write(file("cut.tar"), Arrays.copyOf(whole, length));
            requireRefused(() -> read(file));
        }
        Path file = Files.write(file("cut.tgz"), Arrays.copyOf(compressed, compressed.length - 20));
        Refusal.of(() -> read(file), ErrorCode.DAMAGED_FILE).lineContains("cut.tgz");
    }

    @Test
    void whatIsNoArchiveOfAnImageIsSaidToBeNone() throws IOException {
        Path text = Files.writeString(file("text.tar"), "hello ".repeat(500));
        Refusal.of(() -> read(text), ErrorCode.UNUSABLE_IMAGE).lineContains("text.tar", "is no tar archive");
        Path empty = Files.write(file("empty.tar"), new byte[0]);
        Refusal.of(() -> read(empty), ErrorCode.UNUSABLE_IMAGE).lineContains("is empty");
        TestArchive other = new TestArchive();
        other.entries.put("etc/passwd", TestArchive.bytes("root"));
        Path tar = other.at(file("other.tar"));
        Refusal.of(() -> read(tar), ErrorCode.UNUSABLE_IMAGE)
                .lineContains("neither manifest.json nor oci-layout", "docker save");
        other.entries.put("bundle.json", TestArchive.bytes("{}"));
        Path bundle = other.at(file("bundle.tar"));
        Refusal.of(() -> read(bundle), ErrorCode.UNUSABLE_IMAGE).lineContains("ouro images load --bundle FILE");
    }

    @Test
    void anImageOfAnotherArchitectureIsRefused() throws IOException {
        Path docker = TestArchive.ofDocker("arm64", "[\"a:1\"]").at(file("docker.tar"));
        Refusal.of(() -> read(docker), ErrorCode.UNUSABLE_IMAGE).lineContains("linux/arm64", "linux/amd64");
        Path oci = TestArchive.ofOci("arm64", "\"io.containerd.image.name\":\"docker.io/library/a:1\"")
                .at(file("oci.tar"));
        Refusal.of(() -> read(oci), ErrorCode.UNUSABLE_IMAGE).lineContains("linux/s390x, linux/arm64", "linux/amd64");
    }

    @Test
    void aPartThatIsNotWhatItsDigestSaysIsNamed() throws IOException {
        TestArchive docker = TestArchive.ofDocker("amd64", "[\"a:1\"]");
        docker.entries.put("0123/layer.tar", TestArchive.bytes("another layer"));
        Path dockers = docker.at(file("docker.tar"));
        Refusal.of(() -> read(dockers), ErrorCode.DAMAGED_FILE)
                .lineContains("docker.tar, entry 0123/layer.tar", "has the content");
        for (String part : List.of("layer", "config", "manifest", "index")) {
            TestArchive oci = TestArchive.ofOci("amd64", "\"io.containerd.image.name\":\"docker.io/library/a:1\"");
            String name = oci.entries.keySet().stream()
                    .filter(entry -> entry.startsWith("blobs"))
                    .skip(List.of("layer", "config", "manifest", "index").indexOf(part))
                    .findFirst()
                    .orElseThrow();
            byte[] altered =
                    Optional.ofNullable(oci.entries.get(name)).orElseThrow().clone();
            altered[altered.length / 2] ^= 1;
            oci.entries.put(name, altered);
            Path file = oci.at(file("oci.tar"));
            Refusal.of(() -> read(file), ErrorCode.DAMAGED_FILE)
                    .lineContains("oci.tar, entry " + name, "has the digest");
        }
    }

    @Test
    void nothingIsHandedOverWhenOneOfSeveralIsBad() throws IOException {
        Path good = TestArchive.ofDocker("amd64", "[\"a:1\"]").at(file("good.tar"));
        Path bad = Files.writeString(file("bad.tar"), "no tar");
        requireRefused(() -> archives().read(List.of(good.toString(), bad.toString()), Optional.empty(), _ -> {}, _ -> {
            throw new AssertionError("was handed over");
        }));
    }

    @Test
    void anEngineIsAskedForWhatIsNoFile() throws IOException {
        engines.has.put("podman", TestArchive.ofDocker("amd64", "[\"app:dev\"]").tar());
        assertThat(read(Path.of("app:dev")).getFirst().names()).containsExactly("docker.io/library/app:dev");
    }

    @Test
    void withoutAnEngineItIsSaidWhatToDo() {
        Refusal.of(() -> read(Path.of("app:dev")), ErrorCode.MISSING_TOOL)
                .lineContains("no container engine", "docker save -o image.tar app:dev", "ouro images load image.tar");
    }

    @Test
    void whatAnEngineSaysIsRepeated() {
        engines.has.put("docker", new byte[0]);
        Refusal.of(() -> read(Path.of("app:dev")), ErrorCode.PROCESS_FAILED)
                .lineContains("docker says: No such image: app:dev", "docker pull app:dev");
    }

    /** As in {@code docker save IMAGE | ouro images load -}. */
    @Test
    void anArchiveComesFromStandardInputToo() throws IOException {
        input = Files.newInputStream(TestArchive.ofDocker("amd64", "[\"a:1\"]").at(file("docker.tar")));
        assertThat(read(Path.of("-")).getFirst().names()).containsExactly("docker.io/library/a:1");

        input = InputStream.nullInputStream();
        Refusal.of(() -> read(Path.of("-")), ErrorCode.UNUSABLE_IMAGE).lineContains("-");
    }

    @Test
    void aPipeThatBreaksIsNamed() throws IOException {
        input.close();
        Refusal.of(() -> read(Path.of("-")), ErrorCode.DAMAGED_FILE)
                .lineContains("standard input cannot be read", "ouro images load -");
    }

    @Test
    void aMisspeltPathIsNoName() {
        Refusal.of(() -> read(Path.of("no-such.tar")), ErrorCode.NOT_FOUND).lineContains("no-such.tar", "is no file");
        Refusal.of(() -> read(Path.of("./App")), ErrorCode.NOT_FOUND).lineContains("is no file");
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private ImageArchives archives() {
        return new ImageArchives(
                engines, new LocalDisk(), Architecture.AMD64, new CacheDirectory(directory.resolve("cache")), input);
    }

    private List<NamedImage> read(Path source) {
        return read(source, Optional.empty());
    }

    private List<NamedImage> readAs(String name, Path source) {
        return read(source, Optional.of(name));
    }

    private List<NamedImage> read(Path source, Optional<String> name) {
        List<NamedImage> read = new ArrayList<>();
        archives().read(List.of(source.toString()), name, _ -> {}, read::addAll);
        return read;
    }

    private static void requireRefused(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(ProblemException.class);
    }

    /** Container engines that have the image they are asked for; an empty one has none. */
    private static final class Engines implements Processes {
        private final Map<String, byte[]> has = new java.util.TreeMap<>();
        private final Processes real = new LocalProcesses();

        @Override
        public Result run(Command command) {
            List<String> words = command.arguments();
            if (!words.contains("save")) {
                return real.run(command);
            }
            byte[] image = has.get(words.getFirst());
            if (image == null) {
                return real.run(Command.of("/no/such/" + words.getFirst()));
            }
            if (image.length == 0) {
                return new Result(command.describe(), 1, "", "No such image: " + words.getLast());
            }
            try {
                Files.write(Path.of(words.get(words.indexOf("--output") + 1)), image);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return new Result(command.describe(), 0, "", "");
        }

        @Override
        public Result stream(Command command, Consumer<String> line) {
            throw new AssertionError("not used");
        }

        @Override
        public int attach(Command command) {
            throw new AssertionError("not used");
        }
    }
}
