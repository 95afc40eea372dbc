package dev.ouroboros.node.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.ailment.Finding.Severity;
import dev.ouroboros.node.process.LocalProcesses;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskSpaceCheckTest {
    private static final long GIBIBYTE = 1L << 30;
    private static final List<Path> ETCD = List.of(Path.of("/var/lib/etcd"));
    private static final List<Path> IMAGES = List.of(Path.of("/var/lib/etcd"), Path.of("/var/lib/containerd"));

    @TempDir
    Path directory;

    @Test
    void measuresEachFileSystemOnceByTheNearestDirectoryThatThereIs() {
        List<Finding> findings = new DiskSpaceCheck(
                        new LocalProcesses(), List.of(directory, directory.resolve("not/yet"), Path.of("/dev/shm")))
                .run();

        assertThat(findings).hasSize(2).noneMatch(finding -> finding.severity() == Severity.UNKNOWN);
        assertThat(findings.getFirst().evidence())
                .contains("MiB are free")
                .endsWith("for " + directory + ", " + directory.resolve("not/yet"));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void warnsWhereTheKubeletBeginsToEvict() {
        assertThat(free(10).isFilling(ETCD)).isFalse();
        assertThat(free(9).isFilling(ETCD)).isTrue();
        assertThat(free(15).isFilling(IMAGES)).isFalse();
        assertThat(free(14).isFilling(IMAGES)).isTrue();
        assertThat(inodes(5).isFilling(ETCD)).isFalse();
        assertThat(inodes(4).isFilling(ETCD)).isTrue();
        assertThat(inodes(4)).hasToString("51200 of 102400 MiB are free (50 %) on /var, and 4 of 100 inodes");
    }

    @Test
    void isFullBeforeEtcdEnds() {
        assertThat(new FileSystemSpace("/", 20 * GIBIBYTE, 64 << 20, 9, 9).isFull())
                .isFalse();
        assertThat(new FileSystemSpace("/", 20 * GIBIBYTE, (64 << 20) - 1, 9, 9).isFull())
                .isTrue();
        assertThat(inodes(0).isFull()).isTrue();
        assertThat(new FileSystemSpace("/", 20 * GIBIBYTE, GIBIBYTE, 0, 0).isFull())
                .as("one without a number of inodes")
                .isFalse();
        assertThat(DiskSpaceCheck.judge(free(0), List.of(directory)).consequence())
                .isEqualTo(Ailment.DISK_IS_FULL.consequence());
    }

    @Test
    void saysWhyAFileSystemWithRoomTakesNoWrites() {
        // No file can be made in /proc, as on a read-only disk.
        Finding finding = DiskSpaceCheck.judge(free(50), List.of(Path.of("/proc/sys")));

        assertThat(finding.consequence()).isEqualTo(Ailment.DISK_TAKES_NO_WRITES.consequence());
        assertThat(finding.evidence()).startsWith("/proc/sys: ").contains("50 %");
    }

    @Test
    void readsWhatDfSays() {
        assertThat(FileSystemSpace.parse("""
                1B-blocks  Avail Inodes IFree Mounted on
                      200     50    100    40 /a place
                """)).contains(new FileSystemSpace("/a place", 200, 50, 100, 40));
        assertThat(FileSystemSpace.parse("""
                1B-blocks  Avail Inodes IFree Mounted on
                      200     50      -     - /
                """)).contains(new FileSystemSpace("/", 200, 50, 0, 0));
        assertThat(FileSystemSpace.parse("""
                1B-blocks  Avail Inodes IFree Mounted on
                        -      -      -     - /proc
                """)).isEmpty();
        assertThat(FileSystemSpace.parse("")).isEmpty();
    }

    private static FileSystemSpace free(int percent) {
        return new FileSystemSpace("/var", 100 * GIBIBYTE, percent * GIBIBYTE, 100, 100);
    }

    private static FileSystemSpace inodes(int free) {
        return new FileSystemSpace("/var", 100 * GIBIBYTE, 50 * GIBIBYTE, 100, free);
    }
}
