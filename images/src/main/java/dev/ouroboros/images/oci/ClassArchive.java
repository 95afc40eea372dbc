package dev.ouroboros.images.oci;

import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A daemon's classes as the JVM has them in memory after loading and linking: a static archive of class data sharing. It spares
 * the memory and the time that parsing them takes.
 *
 * <p>An archive made of a list of classes has the same bytes each time (JDK-8241071); one of a training run, and an ahead-of-time
 * cache, has not. The list is a resource beside this class: what the daemon in a real cluster had loaded, with the classes of its
 * lambdas (lines that begin with {@code @}), written by {@code scripts/record-keeper-classes} and {@code scripts/record-dns-classes}. What is on the list and gone is left
 * out. What is never loaded is resident nevertheless: the kernel maps the pages of a file around those that are used. A class that is
 * missing on it is parsed at run time, which takes more memory and time, and opens the JDK's modules file: so the list is recorded
 * again after larger changes.
 *
 * <p>The JVM records paths, sizes and times of the jars and compares them at its start. So the archive is made in a root directory
 * that has the image's layers, each file with the time it has there.
 */
final class ClassArchive implements DerivedLayer {
    private static final String LIST_IN_ROOT = "/classes";
    private static final Duration DUMP_TIMEOUT = Duration.ofMinutes(2);

    private final Processes processes;
    private final Disk disk;
    private final String list;
    private final List<String> java;
    private final String classPath;
    private final String target;

    /**
     * Prepares an archive.
     *
     * @param list name of the resource
     * @param java the JVM's path in the image, and the flags it will be started with
     * @param classPath of paths in the image
     * @param target path of the archive in the image
     */
    ClassArchive(Processes processes, Disk disk, String list, List<String> java, String classPath, String target) {
        this.processes = processes;
        this.disk = disk;
        this.list = list;
        this.java = List.copyOf(java);
        this.classPath = classPath;
        this.target = target;
    }

    @Override
    public String fingerprint() {
        return String.join(" ", java) + "\n" + classPath + "\n" + classes();
    }

    @Override
    public ImageLayer make(List<ImageLayer> below, Path work) {
        Path root = work.resolve("root");
        for (ImageLayer layer : below) {
            layer.programs().forEach((path, file) -> layOut(file, inside(root, path), "rwxr-xr-x"));
            layer.data().forEach((path, file) -> layOut(file, inside(root, path), "rw-r--r--"));
        }
        disk.createDirectories(root.resolve("proc"), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(inside(root, LIST_IN_ROOT), classes().getBytes(StandardCharsets.UTF_8), "rw-r--r--");
        List<String> command = new ArrayList<>(java);
        command.addAll(List.of(
                "-Xshare:dump",
                "-Xlog:disable",
                "-XX:SharedClassListFile=" + LIST_IN_ROOT,
                "-XX:SharedArchiveFile=" + target,
                "-cp",
                classPath));
        processes
                .run(Command.of(command).behind(inRoot(root)).withTimeout(DUMP_TIMEOUT))
                .orThrow();
        return ImageLayer.ofData("class-archive", Map.of(target, inside(root, target)));
    }

    /** The JVM finds its libraries by way of {@code /proc/self/exe}; who is not root becomes it in a namespace of users. */
    private static List<String> inRoot(Path root) {
        List<String> prefix = new ArrayList<>(List.of("unshare"));
        if (!"root".equals(System.getProperty("user.name"))) {
            prefix.addAll(List.of("--user", "--map-root-user"));
        }
        prefix.addAll(List.of("--mount", "--pid", "--fork", "--mount-proc", "--root=" + root));
        return prefix;
    }

    private static Path inside(Path root, String path) {
        return root.resolve(path.substring(1));
    }

    private void layOut(Path file, Path copy, String permissions) {
        Path directory = copy.getParent();
        if (directory != null) {
            disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        }
        disk.copy(file, copy, permissions);
        try {
            Files.setLastModifiedTime(copy, FileTime.from(JibArchiver.TIME));
        } catch (IOException e) {
            throw FileTrouble.of(copy, "its time cannot be set", e);
        }
    }

    private String classes() {
        try (InputStream names = ClassArchive.class.getResourceAsStream(list)) {
            if (names == null) {
                throw new IllegalStateException("the resource " + list + " is missing");
            }
            return new String(names.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the resource " + list + " cannot be read", e);
        }
    }
}
