package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Progress;
import dev.ouroboros.images.debian.UnpackedPackages;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files of Debian packages that go into an image.
 *
 * @param entry of the cache
 * @param names of the packages; what they depend on comes with them
 */
record DebianPrograms(UnpackedPackages packages, String entry, List<String> names) {
    DebianPrograms {
        names = List.copyOf(names);
    }

    /** A directory that looks like the root of a system with the packages. */
    Path root(Progress progress) {
        return packages.resolve(entry, names, UnpackedPackages.Closure.WITH_DEPENDENCIES, progress);
    }

    /** Releases of Debian differ in whether a program is below /usr. */
    Path existing(Path root, String path) {
        String elsewhere = path.startsWith("/usr/") ? path.substring("/usr".length()) : "/usr" + path;
        return Stream.of(path, elsewhere)
                .map(candidate -> root.resolve(candidate.substring(1)))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        root.toString(),
                        "has no " + path + " although Debian's packages " + String.join(", ", names)
                                + " were unpacked there",
                        "",
                        "remove this directory and run this again"));
    }
}
