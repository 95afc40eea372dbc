package dev.ouroboros.images;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.images.binary.VersionReader;
import dev.ouroboros.images.cache.CacheDirectory;
import dev.ouroboros.images.debian.DebianSource;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.images.directory.DirectorySource;
import dev.ouroboros.images.oci.ImageBuilder;
import dev.ouroboros.images.oci.ImageCache;
import dev.ouroboros.images.release.ReleaseLocations;
import dev.ouroboros.images.release.ReleaseSource;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.packages.DebianPackages;
import dev.ouroboros.node.process.Processes;
import java.time.InstantSource;

/**
 * The parts of this module put together, for callers that use all of them as they are.
 *
 * @param binaries gets binaries
 * @param builder makes images of them
 * @param cache has the images that were made
 */
public record ImagesModule(BinaryResolver binaries, ImageBuilder builder, ImageCache cache) {
    /**
     * Puts the parts together.
     *
     * @param daemons of ours; without a program there is no image of it
     * @param proxy for downloads
     */
    public static ImagesModule create(
            Processes processes,
            Disk disk,
            InstantSource clock,
            CacheDirectory directory,
            Architecture architecture,
            ImageBuilder.Daemons daemons,
            ProxyEnvironment proxy) {
        DebianPackages packages = new DebianPackages(processes, disk, DebianPackages.DEFAULT_SCRATCH);
        UnpackedPackages unpacked = new UnpackedPackages(processes, disk, directory);
        ImageCache cache = new ImageCache(disk, directory);
        BinaryResolver binaries = new BinaryResolver(
                new DirectorySource(new VersionReader(processes), unpacked),
                new ReleaseSource(processes, disk, directory, architecture, ReleaseLocations.OFFICIAL, proxy),
                new DebianSource(processes, disk, packages, clock, directory));
        return new ImagesModule(
                binaries,
                ImageBuilder.create(processes, disk, clock, directory, cache, unpacked, daemons, architecture),
                cache);
    }
}
