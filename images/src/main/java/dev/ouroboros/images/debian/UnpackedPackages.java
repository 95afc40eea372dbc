package dev.ouroboros.images.debian;

import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.process.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Debian packages, unpacked into the cache and not installed. */
public final class UnpackedPackages {
    /** How much comes with a package. */
    public enum Closure {
        ALONE,
        WITH_DEPENDENCIES
    }

    private final Processes processes;
    private final Disk disk;
    private final Path directory;

    public UnpackedPackages(Processes processes, Disk disk, CacheDirectory cache) {
        this.processes = processes;
        this.disk = disk;
        this.directory = cache.packages();
    }

    /**
     * A directory that looks like the root of a system with these packages.
     *
     * @param name of the cache entry; the same name is the same packages
     * @param closure whether all that they depend on comes with them
     */
    public Path resolve(String name, List<String> packages, Closure closure, Progress progress) {
        Path entry = directory.resolve(name);
        if (Files.isDirectory(entry)) {
            return entry;
        }
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        Runnable waiting = () -> progress.say("another ouro is downloading packages: waiting for it to end");
        try (ExclusiveLock _ = ExclusiveLock.await(directory.resolve(".lock"), "download of packages", waiting)) {
            if (!Files.isDirectory(entry)) {
                unpack(packages, closure, entry, directory.resolve(".work-" + name), progress);
            }
            return entry;
        }
    }

    private void unpack(List<String> packages, Closure closure, Path entry, Path work, Progress progress) {
        disk.deleteTree(work);
        disk.createDirectories(work, Disk.OWNER_ONLY_DIRECTORY);
        try {
            Apt apt = new Apt(processes, disk, work.resolve("apt"));
            apt.update(progress);
            List<String> all = switch (closure) {
                case ALONE -> packages;
                case WITH_DEPENDENCIES -> apt.withDependencies(packages);
            };
            progress.say("downloading Debian's packages " + String.join(" ", all));
            apt.unpack(all, work.resolve("root"));
            disk.rename(work.resolve("root"), entry);
        } finally {
            disk.deleteTree(work);
        }
    }
}
