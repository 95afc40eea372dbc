package dev.ouroboros.images.binary;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
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

    /** The value of {@code --source} or of OURO_BINARY_SOURCE: {@code release}, {@code debian} or a directory. */
    static BinarySource parse(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "release" -> new Release();
            case "debian" -> new Debian();
            default -> {
                if (!value.contains("/")) {
                    throw ProblemException.of(
                            ErrorCode.INVALID_FLAG,
                            "source of binaries",
                            "'" + value + "'",
                            "release, debian, or the path of a directory",
                            "");
                }
                yield new Directory(Path.of(value));
            }
        };
    }
}
