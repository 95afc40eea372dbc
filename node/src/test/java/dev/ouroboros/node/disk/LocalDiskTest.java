package dev.ouroboros.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.problem.testing.Refusal;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.LocalProcesses;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalDiskTest {
    private final Disk disk = new LocalDisk();

    @TempDir
    private Path directory = Path.of("");

    @Test
    void replacesAFileAndLeavesNothingElseBehind() {
        Path file = directory.resolve("file");

        disk.write(file, bytes("one"), Disk.OWNER_ONLY_FILE);
        disk.write(file, bytes("two"), Disk.OWNER_ONLY_FILE);

        assertThat(disk.readText(file)).contains("two");
        assertThat(disk.list(directory)).containsExactly("file");
    }

    /** Found on an emulated machine, where 10 was read as 1: reset did not take it for the kubelet's value. */
    @Test
    void aVariableOfTheKernelIsReadWhole() {
        Path variable = Path.of("/proc/sys/kernel/pid_max");
        String whole =
                new LocalProcesses().run(Command.of("cat", variable.toString())).orThrow();

        assertThat(whole).hasSizeGreaterThan(2);
        assertThat(disk.readText(variable)).contains(whole);
    }

    @Test
    void givesExactlyThePermissionsAskedFor() throws IOException {
        Path file = directory.resolve("nested/secret");
        disk.createDirectories(directory.resolve("nested"), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(file, bytes("x"), Disk.OWNER_ONLY_FILE);
        disk.write(directory.resolve("open"), bytes("x"), "rw-rw-rw-");

        assertThat(permissions(file)).isEqualTo("rw-------");
        assertThat(permissions(directory.resolve("nested"))).isEqualTo("rwx------");
        assertThat(permissions(directory.resolve("open"))).isEqualTo("rw-rw-rw-");
    }

    @Test
    void givesAFileItsGroupAndSaysSo() {
        int own = disk.status(directory).orElseThrow().group();
        Path file = directory.resolve("file");
        disk.write(file, bytes("x"), "rw-r-----", own);

        assertThat(disk.status(file)).contains(new FileStatus(FileStatus.Kind.FILE, "rw-r-----", own));
    }

    @Test
    void saysWhenAFileWasWritten() throws IOException {
        Path file = directory.resolve("file");
        disk.write(file, bytes("x"), Disk.OWNER_ONLY_FILE);
        Instant written = Instant.parse("2026-03-01T03:00:00Z");
        Files.setLastModifiedTime(file, FileTime.from(written));

        assertThat(disk.modifiedAt(file)).contains(written);
        assertThat(disk.modifiedAt(directory.resolve("none"))).isEmpty();
        // A name has 255 characters at most: the file system says so, and not that there is no such file.
        assertThatThrownBy(() -> disk.modifiedAt(directory.resolve("n".repeat(300))))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("cannot be looked at");
    }

    @Test
    void looksAtWhatIsThereAndNotBehindALink() throws IOException {
        Files.createSymbolicLink(directory.resolve("link"), directory);
        Path file = directory.resolve("file");
        disk.write(file, bytes("x"), Disk.OWNER_ONLY_FILE);

        assertThat(disk.status(directory).orElseThrow().kind()).isEqualTo(FileStatus.Kind.DIRECTORY);
        assertThat(disk.status(directory.resolve("link")).orElseThrow().kind()).isEqualTo(FileStatus.Kind.OTHER);
        assertThat(disk.status(directory.resolve("none"))).isEmpty();
        assertThat(disk.status(file.resolve("below"))).isEmpty();
    }

    @Test
    void keepsTheOldContentWhenAWriteFails() throws IOException {
        Path target = Files.createDirectory(directory.resolve("occupied"));
        Files.writeString(target.resolve("inside"), "x");

        assertThatThrownBy(() -> disk.write(target, bytes("new"), Disk.OWNER_ONLY_FILE))
                .isInstanceOf(ProblemException.class)
                .extracting(e -> ((ProblemException) e).problems().getFirst().code())
                .isEqualTo(ErrorCode.DISK);

        assertThat(disk.readText(target.resolve("inside"))).contains("x");
        assertThat(disk.list(directory)).containsExactly("occupied");
    }

    @Test
    void tellsMissingFromUnreadable() throws IOException {
        assertThat(disk.read(directory.resolve("none"))).isEmpty();
        assertThat(disk.list(directory.resolve("none"))).isEmpty();
        assertThat(disk.delete(directory.resolve("none"))).isFalse();
        assertThatThrownBy(() -> disk.read(directory)).isInstanceOf(ProblemException.class);
    }

    @Test
    void removesATreeButNotWhatItsLinksPointTo() throws IOException {
        Path outside = Files.writeString(directory.resolve("outside"), "keep");
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Files.createSymbolicLink(tree.resolve("link"), outside);
        Files.writeString(tree.resolve("inside"), "x");

        disk.deleteTree(tree);
        disk.deleteTree(tree);

        assertThat(disk.list(directory)).containsExactly("outside");
    }

    @Test
    void copiesAndRenamesWholeFiles() throws IOException {
        Path from = Files.writeString(directory.resolve("from"), "x".repeat(300_000));

        disk.copy(from, directory.resolve("copy"), "rwxr-xr-x");
        disk.rename(from, directory.resolve("renamed"));

        assertThat(disk.list(directory)).containsExactly("copy", "renamed");
        assertThat(directory.resolve("copy")).hasSameBinaryContentAs(directory.resolve("renamed"));
        assertThat(permissions(directory.resolve("copy"))).isEqualTo("rwxr-xr-x");
    }

    @Test
    void keepsWhatAStreamGaveBeforeItBroke() throws IOException {
        Path file = directory.resolve("part");
        InputStream breaking = new FilterInputStream(new ByteArrayInputStream(bytes("one"))) {
            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int read = super.read(into, offset, length);
                if (read < 0) {
                    throw new IOException("connection reset");
                }
                return read;
            }
        };

        assertThatThrownBy(() -> disk.append(file, breaking)).isInstanceOf(IOException.class);
        disk.append(file, new ByteArrayInputStream(bytes(" two")));

        assertThat(disk.readText(file)).contains("one two");
    }

    @Test
    void measuresTheDiskOfAPathThatDoesNotExistYet() {
        assertThat(disk.usableBytes(directory.resolve("a/b/c"))).isPositive();
    }

    /** A file in the place of a directory, and the other way round, is refused by every kernel, for root too. */
    @Test
    void namesThePathAndTheReasonOfWhateverIsRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        Path tree = Files.createDirectory(directory.resolve("tree"));
        Files.writeString(tree.resolve("inside"), "x");
        String tooLong = "n".repeat(300);

        Refusal.of(() -> disk.append(tree, new ByteArrayInputStream(bytes("x"))), ErrorCode.DISK)
                .where(tree)
                .whatStartsWith("cannot be written: ");
        Refusal.of(() -> disk.rename(tree, file), ErrorCode.DISK)
                .where(tree)
                .whatStartsWith("cannot be renamed to " + file + ": ");
        Refusal.of(() -> disk.createDirectories(file, "rwx------"), ErrorCode.DISK)
                .where(file)
                .whatStartsWith("cannot be created: ");
        Refusal.of(() -> disk.delete(tree), ErrorCode.DISK).where(tree).whatStartsWith("cannot be removed: ");
        Refusal.of(() -> disk.status(directory.resolve(tooLong)), ErrorCode.DISK)
                .where(directory.resolve(tooLong))
                .whatStartsWith("cannot be looked at: ");
        Refusal.of(() -> disk.list(directory.resolve(tooLong)), ErrorCode.DISK)
                .where(directory.resolve(tooLong))
                .whatStartsWith("cannot be listed: ");
    }

    /** What the kernel says of a process is nobody's to remove, and has no size; root is refused too. */
    @Test
    void saysThatTheKernelKeepsOrHidesWhatItShows() {
        Path kept = Path.of("/proc/self/fdinfo");
        Refusal.of(() -> disk.deleteTree(kept), ErrorCode.DISK).where(kept).whatStartsWith("cannot be removed: ");
        assertThatThrownBy(() -> disk.deleteTree(kept)).hasMessageContaining("not permitted");
        Path nowhere = Path.of("/proc/self/ns/net");
        Refusal.of(() -> disk.usableBytes(nowhere), ErrorCode.DISK)
                .where(nowhere)
                .whatStartsWith("free space cannot be read: ");
    }

    /** A device takes the bytes and has nothing to force them to. */
    @Test
    void saysThatWhatItWroteDoesNotLast() {
        Path nothing = Path.of("/dev/null");
        Refusal.of(() -> disk.append(nothing, new ByteArrayInputStream(bytes("x"))), ErrorCode.DISK)
                .where(nothing)
                .whatStartsWith("cannot be written: ");
        assertThatThrownBy(() -> disk.append(nothing, new ByteArrayInputStream(bytes("x"))))
                .hasMessageContaining("Invalid argument")
                .hasMessageContaining("dmesg");
    }

    /** What a full disk does: the device takes no byte. */
    @Test
    void saysThatADiskIsFull() {
        Path full = Path.of("/dev/full");
        Refusal.of(() -> disk.append(full, new ByteArrayInputStream(bytes("x"))), ErrorCode.DISK)
                .where(full)
                .whatStartsWith("cannot be written: ");
        assertThatThrownBy(() -> disk.append(full, new ByteArrayInputStream(bytes("x"))))
                .hasMessageEndingWith("make room there (df -h, df -i), and run the same command again");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
