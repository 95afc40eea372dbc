package dev.ouroboros.images.binary;

import java.nio.file.Path;
import java.util.Locale;

/** Where binaries come from; all the same to the rest of the code. */
public sealed interface BinarySource {
    /** A directory with the binaries in it. */
    record Directory(Path directory) implements BinarySource {
        public Directory {
            directory = directory.toAbsolutePath().normalize();
        }
    }

    /** The official release downloads, verified by their checksums. */
    record Release() implements BinarySource {}

    /** Debian's own {@code kubernetes} source package, built once; etcd from Debian's packages. */
    record Debian() implements BinarySource {}

    /** {@code release}, {@code debian} or a directory, as {@code --binaries} takes it; {@code ./release} is a directory. */
    static BinarySource parse(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "release" -> new Release();
            case "debian" -> new Debian();
            default -> new Directory(Path.of(value));
        };
    }
}
