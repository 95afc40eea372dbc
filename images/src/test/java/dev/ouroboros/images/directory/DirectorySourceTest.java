package dev.ouroboros.images.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.Binary;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.VersionReader;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.disk.LocalDisk;
import dev.ouroboros.node.process.LocalProcesses;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectorySourceTest {
    @TempDir
    private Path root = Path.of("");

    private final Disk disk = new LocalDisk();
    private Path directory = Path.of("");

    @BeforeEach
    void fill() {
        directory = root.resolve("binaries");
        disk.createDirectories(directory, "rwxr-xr-x");
        for (Binary binary : Binary.of(Binary.Project.KUBERNETES)) {
            script(binary, "Kubernetes v1.36.2");
        }
        script(Binary.KUBECTL, "Client Version: v1.36.2");
        script(Binary.ETCD, "etcd Version: 3.5.30");
    }

    @Test
    void readsVersionsFromTheBinaries() {
        Binaries binaries = resolve(Optional.of("v1.36.2"));

        assertThat(binaries.kubernetesVersion()).isEqualTo("1.36.2");
        assertThat(binaries.etcdVersion()).isEqualTo("3.5.30");
        assertThat(binaries.warnings()).isEmpty();
        assertThat(binaries.find(Binary.ETCDCTL)).isEmpty();
    }

    @Test
    void namesBothVersionsOfEveryBinaryThatDiffers() {
        script(Binary.KUBELET, "Kubernetes v1.35.0");

        assertThatThrownBy(() -> resolve(Optional.of("1.36.2")))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problems()).hasSize(1))
                .hasMessageContaining("kubelet")
                .hasMessageContaining("1.35.0")
                .hasMessageContaining("1.36.2");
    }

    @Test
    void warnsOfSkewWhenNoVersionWasAsked() {
        script(Binary.KUBELET, "Kubernetes v1.35.0");

        assertThat(resolve(Optional.empty()).warnings()).containsExactly("kubelet is 1.35.0, kube-apiserver is 1.36.2");
    }

    @Test
    void reportsAllThatIsMissingAtOnce() {
        disk.delete(directory.resolve("kube-apiserver"));
        disk.delete(directory.resolve("kubelet"));
        disk.write(directory.resolve("kube-scheduler"), new byte[0], "rw-r--r--");

        assertThatThrownBy(() -> resolve(Optional.empty()))
                .hasMessageContaining("has no kube-apiserver, no kubelet")
                .hasMessageContaining("kube-scheduler: is not an executable file");
    }

    @Test
    void doesWithoutKubeProxy() {
        disk.delete(directory.resolve("kube-proxy"));

        Binaries binaries = resolve(Optional.empty());

        assertThat(binaries.find(Binary.KUBE_PROXY)).isEmpty();
        assertThat(binaries.warnings()).singleElement().asString().contains("no kube-proxy");
    }

    @Test
    void takesAMissingEtcdFromDebianWithAWarning() {
        disk.delete(directory.resolve("etcd"));
        Path unpacked = root.resolve("cache/packages/etcd/usr/bin");
        disk.createDirectories(unpacked, "rwxr-xr-x");
        script(unpacked, Binary.ETCD, "etcd Version: 3.4.23");
        script(unpacked, Binary.ETCDCTL, "etcdctl version: 3.4.23");

        Binaries binaries = resolve(Optional.empty());

        assertThat(binaries.etcdVersion()).isEqualTo("3.4.23");
        assertThat(binaries.file(Binary.ETCDCTL)).isEqualTo(unpacked.resolve("etcdctl"));
        assertThat(binaries.warnings()).singleElement().asString().contains("Debian's 3.4.23");
    }

    @Test
    void showsWhatABrokenBinarySays() {
        disk.write(
                directory.resolve("kubelet"),
                "#!/bin/sh\necho boom >&2\nexit 3\n".getBytes(StandardCharsets.UTF_8),
                "rwxr-xr-x");

        assertThatThrownBy(() -> resolve(Optional.empty()))
                .hasMessageContaining("exit code 3")
                .hasMessageContaining("boom");
    }

    private Binaries resolve(Optional<String> version) {
        LocalProcesses processes = new LocalProcesses();
        return new DirectorySource(
                        new VersionReader(processes),
                        new UnpackedPackages(processes, disk, new CacheDirectory(root.resolve("cache"))))
                .resolve(directory, new BinaryRequest(Optional.empty(), version, true, line -> {}));
    }

    private void script(Binary binary, String says) {
        script(directory, binary, says);
    }

    private void script(Path where, Binary binary, String says) {
        byte[] text = ("#!/bin/sh\necho '" + says + "'\n").getBytes(StandardCharsets.UTF_8);
        disk.write(where.resolve(binary.fileName()), text, "rwxr-xr-x");
    }
}
