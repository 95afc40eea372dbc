package dev.ouroboros.images.cache;

import java.nio.file.Path;
import java.util.Map;

/**
 * Where everything is kept that took long to make, and can be made again. An entry is a directory that came to its name by a
 * rename when it was complete: what has its final name is whole. Names that begin with a dot are work in progress, or what
 * an interrupted process left of it.
 */
public record CacheDirectory(Path root) {
    public CacheDirectory {
        root = root.toAbsolutePath().normalize();
    }

    /** {@code $XDG_CACHE_HOME/ouroboros}, or {@code ~/.cache/ouroboros}; a relative XDG_CACHE_HOME is ignored, as its specification says. */
    public static CacheDirectory of(Map<String, String> environment, Path home) {
        String configured = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path base = configured.startsWith("/") ? Path.of(configured) : home.resolve(".cache");
        return new CacheDirectory(base.resolve("ouroboros"));
    }

    /** Binaries built from Debian's source package, an entry a package version. */
    public Path debian() {
        return root.resolve("debian-2");
    }

    /** What was built before there was a {@code VendoredLibrary}: its API servers may end at any request. */
    public Path formerDebian() {
        return root.resolve("debian");
    }

    /** Downloaded releases, an entry a Kubernetes version. */
    public Path release() {
        return root.resolve("release");
    }

    /** Unpacked Debian packages that go into images. */
    public Path packages() {
        return root.resolve("packages");
    }

    /** Linked Java runtimes, an entry a JDK and set of modules. */
    public Path runtimes() {
        return root.resolve("runtimes");
    }

    /** Image archives. */
    public Path images() {
        return root.resolve("images");
    }
}
