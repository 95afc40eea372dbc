package dev.ouroboros.keeper.act;

import dev.ouroboros.model.checkpoint.Content;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.runtime.image.ImageArchive;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Image archives in a directory, a file each, named by a digest of the reference: a reference has slashes and may be long. */
public final class RuntimeArchive implements Images.Archive {
    private static final Logger LOG = LoggerFactory.getLogger(RuntimeArchive.class);
    private static final String SUFFIX = ".tar";

    private final ImageArchive archive;
    private final Disk disk;
    private final Path directory;
    private final Runnable sync;

    /** @param sync returns when everything that was written before is on the disk */
    public RuntimeArchive(ImageArchive archive, Disk disk, Path directory, Runnable sync) {
        this.archive = archive;
        this.sync = sync;
        this.disk = disk;
        this.directory = directory;
    }

    @Override
    public synchronized void save(String reference) {
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        archive.save(reference, directory.resolve(fileName(reference)));
    }

    @Override
    public synchronized void restore(String reference) {
        if (archive.restore(directory.resolve(fileName(reference))) == ImageArchive.Outcome.RESTORED_PACKED) {
            LOG.warn(
                    "component=keeper event=not-unpacked image={} reason=\"the runtime will do it, unsynced\"",
                    reference);
        }
    }

    @Override
    public void sync() {
        sync.run();
    }

    @Override
    public synchronized void retainOnly(Set<String> references) {
        Set<String> kept = references.stream().map(RuntimeArchive::fileName).collect(Collectors.toSet());
        for (String name : disk.list(directory)) {
            if (name.endsWith(SUFFIX) && !name.startsWith(".") && !kept.contains(name)) {
                disk.delete(directory.resolve(name));
            }
        }
    }

    /** Where in the directory an image is kept. */
    public static String fileName(String reference) {
        return Content.of(reference.getBytes(StandardCharsets.UTF_8)).digest() + SUFFIX;
    }
}
