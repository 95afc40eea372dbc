package dev.ouroboros.node.disk;

import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/** {@link Disk} on this machine's file systems. */
public final class LocalDisk implements Disk {
    private static final String DEVICE = "unix:dev";

    private static final String GROUP = "unix:gid";

    @Override
    public Optional<byte[]> read(Path file) {
        // Files.readAllBytes first asks for one byte of a file of size 0, as kernel variables have. Such a file gives
        // its value to the first read
        // only, as much of it as fits.
        try (InputStream content = Files.newInputStream(file)) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            content.transferTo(all);
            return Optional.of(all.toByteArray());
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failed(file, "cannot be read", e);
        }
    }

    @Override
    public Optional<String> readText(Path file) {
        return read(file).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    @Override
    public List<String> list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException e) {
            throw failed(directory, "cannot be listed", e);
        }
    }

    @Override
    public void write(Path file, byte[] content, String permissions) {
        replace(file, permissions, OptionalInt.empty(), channel -> writeAll(channel, content));
    }

    @Override
    public void write(Path file, byte[] content, String permissions, int group) {
        replace(file, permissions, OptionalInt.of(group), channel -> writeAll(channel, content));
    }

    private static void writeAll(FileChannel channel, byte[] content) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public Optional<FileStatus> status(Path path) {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            FileStatus.Kind kind = attributes.isRegularFile()
                    ? FileStatus.Kind.FILE
                    : attributes.isDirectory() ? FileStatus.Kind.DIRECTORY : FileStatus.Kind.OTHER;
            Object group = Files.getAttribute(path, GROUP, LinkOption.NOFOLLOW_LINKS);
            return Optional.of(new FileStatus(
                    kind, PosixFilePermissions.toString(attributes.permissions()), ((Number) group).intValue()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            if (isBelowAFile(path)) {
                return Optional.empty();
            }
            throw failed(path, "cannot be looked at", e);
        }
    }

    @Override
    public Optional<Instant> modifiedAt(Path file) {
        try {
            return Optional.of(
                    Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failed(file, "cannot be looked at", e);
        }
    }

    /** Whether the path leads through a regular file (ENOTDIR), which Java says only in the exception's words. */
    private static boolean isBelowAFile(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        return parent != null && Files.exists(parent) && !Files.isDirectory(parent);
    }

    @Override
    public void copy(Path from, Path to, String permissions) {
        replace(to, permissions, OptionalInt.empty(), channel -> {
            try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ)) {
                long position = 0;
                long transferred;
                while ((transferred = source.transferTo(position, source.size() - position, channel)) > 0) {
                    position += transferred;
                }
            }
        });
    }

    @Override
    public void append(Path file, InputStream content) throws IOException {
        try (FileChannel channel = openForAppending(file)) {
            byte[] chunk = new byte[1 << 16];
            for (int read = content.read(chunk); read >= 0; read = content.read(chunk)) {
                appendChunk(channel, ByteBuffer.wrap(chunk, 0, read), file);
            }
            force(channel, file);
        }
    }

    private static FileChannel openForAppending(Path file) {
        try {
            return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw failed(file, "cannot be written", e);
        }
    }

    private static void appendChunk(FileChannel channel, ByteBuffer chunk, Path file) {
        try {
            while (chunk.hasRemaining()) {
                channel.write(chunk);
            }
        } catch (IOException e) {
            throw failed(file, "cannot be written", e);
        }
    }

    private static void force(FileChannel channel, Path file) {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw failed(file, "cannot be written", e);
        }
    }

    @Override
    public void rename(Path from, Path to) {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            synchronize(parentOf(from));
            synchronize(parentOf(to));
        } catch (IOException e) {
            throw failed(from, "cannot be renamed to " + to, e);
        }
    }

    @Override
    public long usableBytes(Path path) {
        Path existing = path.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = parentOf(existing);
        }
        try {
            return Files.getFileStore(existing).getUsableSpace();
        } catch (NoSuchFileException e) {
            // Java looks the path up in this process's own mounts, and one that leads through another process's root is
            // not among them.
            if (existing.toFile().getTotalSpace() == 0) {
                throw failed(existing, "free space cannot be read", e);
            }
            return existing.toFile().getUsableSpace();
        } catch (IOException e) {
            throw failed(existing, "free space cannot be read", e);
        }
    }

    @Override
    public boolean isMount(Path directory) {
        try {
            return Files.isDirectory(directory)
                    && !Files.getAttribute(directory, DEVICE)
                            .equals(Files.getAttribute(parentOf(directory.toAbsolutePath()), DEVICE));
        } catch (IOException e) {
            throw failed(directory, "the number of its file system cannot be read", e);
        }
    }

    /** What a durable write puts into its temporary file. */
    private interface Content {
        void writeTo(FileChannel channel) throws IOException;
    }

    private static void replace(Path file, String permissions, OptionalInt group, Content content) {
        Path directory = parentOf(file);
        Path temporary = directory.resolve(TEMPORARY_PREFIX + file.getFileName() + "."
                + ProcessHandle.current().pid());
        try {
            Files.deleteIfExists(temporary);
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)))) {
                content.writeTo(channel);
                if (group.isPresent()) {
                    Files.setAttribute(temporary, GROUP, group.getAsInt(), LinkOption.NOFOLLOW_LINKS);
                }
                // The permissions at creation are subject to the umask; these are not.
                Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString(permissions));
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            synchronize(directory);
        } catch (IOException e) {
            deleteQuietly(temporary, e);
            throw failed(file, "cannot be written", e);
        }
    }

    @Override
    public void createDirectories(Path directory, String permissions) {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            createDirectories(parent, permissions);
        }
        try {
            Files.createDirectory(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
            if (parent != null) {
                synchronize(parent);
            }
        } catch (IOException e) {
            if (!Files.isDirectory(directory)) {
                throw failed(directory, FileTrouble.NOT_CREATED, e);
            }
        }
    }

    @Override
    public boolean delete(Path file) {
        try {
            boolean deleted = Files.deleteIfExists(file);
            if (deleted) {
                synchronize(parentOf(file));
            }
            return deleted;
        } catch (NotDirectoryException e) {
            return false;
        } catch (IOException e) {
            throw failed(file, "cannot be removed", e);
        }
    }

    @Override
    public void deleteTree(Path directory) {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(
                        Path visited, @org.jspecify.annotations.Nullable IOException failure) throws IOException {
                    if (failure != null) {
                        throw failure;
                    }
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
            synchronize(parentOf(directory));
        } catch (IOException e) {
            throw failed(directory, "cannot be removed", e);
        }
    }

    private static Path parentOf(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("not a file: " + file);
        }
        return parent;
    }

    /** fsync of a directory: Linux allows it on a read-only channel of the directory. */
    private static void synchronize(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static void deleteQuietly(Path temporary, IOException reason) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }

    private static ProblemException failed(Path file, String what, IOException e) {
        return FileTrouble.of(file, what, e);
    }
}
