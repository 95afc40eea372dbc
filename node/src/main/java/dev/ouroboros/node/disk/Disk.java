package dev.ouroboros.node.disk;

import dev.ouroboros.model.problem.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The only way Ouroboros changes files. Every write is durable: temporary file in the same directory, fsync, rename, fsync
 * of the directory, so that after a power loss a file has its old or its new content, never a part or nothing.
 *
 * <p>All methods throw {@link ProblemException} with code DISK when the operating system refuses.
 */
public interface Disk {
    /** What names of temporary files begin with. The kubelet ignores such names in its manifest directory: they begin with a dot. */
    String TEMPORARY_PREFIX = ".ouroboros-";

    /** Permissions of a file with a secret. */
    String OWNER_ONLY_FILE = "rw-------";

    /** Permissions of a directory with secrets. */
    String OWNER_ONLY_DIRECTORY = "rwx------";

    /** The content of a regular file, or empty when there is none. */
    Optional<byte[]> read(Path file);

    /** The content as UTF-8 text, or empty when there is no such file. */
    Optional<String> readText(Path file);

    /** Names in a directory, sorted; empty when it does not exist. */
    List<String> list(Path directory);

    /**
     * Writes a file durably, replacing what was there.
     *
     * @param permissions as in {@code ls -l}, for example {@code rw-------}
     */
    void write(Path file, byte[] content, String permissions);

    /** As {@link #write(Path, byte[], String)}, for a file that belongs to a group, by its number. */
    void write(Path file, byte[] content, String permissions, int group);

    /** What is at a path, without following a symbolic link; empty when nothing is. */
    Optional<FileStatus> status(Path path);

    /** When the content of a file was written last, by the clock that people read; empty when it is not there. */
    Optional<Instant> modifiedAt(Path file);

    /** Creates a directory and its missing parents with these permissions; those that exist keep theirs. */
    void createDirectories(Path directory, String permissions);

    /** Removes a file or an empty directory, durably; false when it was not there. */
    boolean delete(Path file);

    /** Removes a directory with everything in it; does not follow symbolic links. */
    void deleteTree(Path directory);

    /** Copies a regular file of any size durably, as {@link #write} does. */
    void copy(Path from, Path to, String permissions);

    /**
     * Appends everything that a stream has to a file, which is made when missing, and forces it to the disk. When the stream
     * fails, what came before stays in the file: a download can go on from there.
     *
     * @throws IOException when the stream fails; when the disk does, it is a {@link ProblemException}
     */
    void append(Path file, InputStream content) throws IOException;

    /** Renames a file or directory within one file system, atomically and durably. */
    void rename(Path from, Path to);

    /** Bytes that this process may still write to the file system of {@code path}, or of its nearest existing parent. */
    long usableBytes(Path path);

    /** Whether another file system is mounted at a directory; false where nothing is there. */
    boolean isMount(Path directory);
}
