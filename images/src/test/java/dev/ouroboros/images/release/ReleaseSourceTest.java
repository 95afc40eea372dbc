package dev.ouroboros.images.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Downloads from a server on loopback that has the layout of the official ones. */
final class ReleaseSourceTest {
    private static final String VERSION = "1.36.2";
    private static final String ETCD = new EtcdTools().pairedWith(VERSION);
    private static final String KUBELET = "/release/v" + VERSION + "/bin/linux/amd64/kubelet";

    @TempDir
    private Path root = Path.of("");

    private final FileServer server = new FileServer();

    @BeforeEach
    void fill() throws IOException {
        server.put("/release/stable.txt", "v" + VERSION + "\n");
        for (Binary binary : Binary.of(Binary.Project.KUBERNETES)) {
            String path = "/release/v" + VERSION + "/bin/linux/amd64/" + binary.fileName();
            byte[] content = (binary.fileName() + " ").repeat(20_000).getBytes(StandardCharsets.UTF_8);
            server.put(path, content);
            server.put(path + ".sha256", FileServer.sha256(content));
        }
        String name = "etcd-v" + ETCD + "-linux-amd64";
        byte[] archive = etcdArchive(name);
        server.put("/etcd/v" + ETCD + "/" + name + ".tar.gz", archive);
        server.put(
                "/etcd/v" + ETCD + "/SHA256SUMS",
                "0".repeat(64) + "  another.tar.gz\n" + FileServer.sha256(archive) + "  " + name + ".tar.gz\n");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void downloadsTheNewestStableReleaseAndKeepsIt() throws IOException {
        Binaries binaries = source().resolve(request(Optional.empty()));

        assertThat(binaries.kubernetesVersion()).isEqualTo(VERSION);
        assertThat(binaries.etcdVersion()).isEqualTo(ETCD);
        assertThat(Files.readString(binaries.file(Binary.KUBELET))).startsWith("kubelet kubelet");
        assertThat(binaries.file(Binary.ETCDCTL)).isExecutable();
        assertThat(binaries.file(Binary.KUBELET)).isExecutable();
        assertThat(root.resolve("release")).isDirectoryNotContaining("glob:**/.work*");

        server.close();
        assertThat(source().resolve(request(Optional.of(VERSION)))).isEqualTo(binaries);
    }

    @Test
    void refusesAWrongChecksumNamingBothAndKeepsNothingOfIt() {
        server.put(KUBELET, "tampered with");

        assertFails(
                ErrorCode.DOWNLOAD_FAILED,
                "kubelet",
                "SHA-256",
                FileServer.sha256("tampered with".getBytes(StandardCharsets.UTF_8)));
        assertThat(root.resolve("release")).isDirectoryNotContaining("glob:**/" + VERSION);
        assertThat(root.resolve("release/.work-" + VERSION + "/entry/bin"))
                .isDirectoryNotContaining("glob:**/kubelet*");
    }

    @Test
    void refusesAFileWithoutChecksum() {
        server.remove(KUBELET + ".sha256");

        assertFails(ErrorCode.DOWNLOAD_FAILED, "kubelet", "no checksum beside it");
    }

    @Test
    void takesTheLongerChecksumWhereThereIsNoOther() {
        server.remove(KUBELET + ".sha256");
        server.put(KUBELET + ".sha512", FileServer.sha512(server.get(KUBELET)));

        assertThat(source().resolve(request(Optional.of(VERSION))).file(Binary.KUBELET))
                .exists();
    }

    @Test
    void namesTheAddressThatDoesNotExist() {
        server.remove(KUBELET);

        assertFails(ErrorCode.DOWNLOAD_FAILED, KUBELET, "does not exist", "404");
    }

    @Test
    void goesOnWhereAConnectionBroke() {
        server.cutAfter(KUBELET, 50_000, 1);

        assertThat(source().resolve(request(Optional.of(VERSION))).file(Binary.KUBELET))
                .hasBinaryContent(server.get(KUBELET));
        assertThat(server.ranges(KUBELET)).containsExactly("", "bytes=50000-");
    }

    @Test
    void goesOnInTheNextRunWhenConnectionsKeepBreaking() {
        server.cutAfter(KUBELET, 1000, Integer.MAX_VALUE);
        assertFails(ErrorCode.DOWNLOAD_FAILED, "kubelet", "4 attempts");

        server.cutAfter(KUBELET, 0, 0);
        server.forgetRanges();

        assertThat(source().resolve(request(Optional.of(VERSION))).file(Binary.KUBELET))
                .hasBinaryContent(server.get(KUBELET));
        assertThat(server.ranges(KUBELET)).containsExactly("bytes=4000-");
        assertThat(server.ranges(KUBELET.replace("kubelet", "kube-apiserver"))).isEmpty();
    }

    @Test
    void beginsAnewWhenTheServerKnowsNoRanges() {
        server.ignoreRanges();
        server.cutAfter(KUBELET, 50_000, 1);

        assertThat(source().resolve(request(Optional.of(VERSION))).file(Binary.KUBELET))
                .hasBinaryContent(server.get(KUBELET));
    }

    @Test
    void isReachableOnlyWhileTheServerAnswers() {
        assertThat(source().reachable()).isTrue();
        server.close();
        assertThat(source().reachable()).isFalse();
    }

    @Test
    void knowsTheEtcdOfEachKubernetes() {
        assertThat(List.of("1.20.2", "1.22.0", "1.33.1", "1.36.2").stream()
                        .map(new EtcdTools()::pairedWith)
                        .toList())
                .containsExactly("3.4.13", "3.5.24", "3.5.24", "3.6.9");
    }

    @Test
    void saysWhatToDoWhenTheServerHasNotWhatItShould() {
        server.put("/release/stable.txt", "<html>log in</html>");
        assertThatThrownBy(() -> source().resolve(request(Optional.empty())))
                .hasMessageContainingAll("stable.txt", "names no version", "use --kubernetes-version");
        server.put("/etcd/v" + ETCD + "/SHA256SUMS", "0".repeat(64) + "  another.tar.gz\n");
        assertFails(ErrorCode.DOWNLOAD_FAILED, "SHA256SUMS", "has no line for etcd-v" + ETCD, "--binaries DIR");
    }

    @Test
    void saysHowMuchSpaceIsNeededBeforeItDownloads() {
        LocalDisk real = new LocalDisk();
        Disk small = (Disk) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Disk.class},
                (_, method, arguments) ->
                        method.getName().equals("usableBytes") ? 1L << 28 : method.invoke(real, arguments));
        assertThatThrownBy(() -> source(small).resolve(request(Optional.of(VERSION))))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problems().getFirst().code()).isEqualTo(ErrorCode.DISK))
                .hasMessageContainingAll(root.toString(), "GiB are free", "XDG_CACHE_HOME");
    }

    private void assertFails(ErrorCode code, String... parts) {
        Refusal.of(() -> source().resolve(request(Optional.of(VERSION))), code).lineContains(parts);
    }

    private ReleaseSource source() {
        return source(new LocalDisk());
    }

    private ReleaseSource source(Disk disk) {
        URI base = server.address();
        return new ReleaseSource(
                new LocalProcesses(),
                disk,
                new CacheDirectory(root),
                Architecture.AMD64,
                new ReleaseLocations(base, URI.create(base + "/etcd")),
                ProxyEnvironment.none());
    }

    private static BinaryRequest request(Optional<String> version) {
        return new BinaryRequest(Optional.empty(), version, true, line -> {});
    }

    private byte[] etcdArchive(String name) throws IOException {
        Path directory = Files.createDirectories(root.resolve("made").resolve(name));
        Files.writeString(directory.resolve("etcd"), "etcd");
        Files.writeString(directory.resolve("etcdctl"), "etcdctl");
        Files.writeString(directory.resolve("etcdutl"), "etcdutl");
        Files.writeString(directory.resolve("README.md"), "not needed");
        Path archive = root.resolve("made/archive.tar.gz");
        new LocalProcesses()
                .run(Command.of(
                        "tar",
                        "-czf",
                        archive.toString(),
                        "-C",
                        root.resolve("made").toString(),
                        name))
                .orThrow();
        return Files.readAllBytes(archive);
    }
}
