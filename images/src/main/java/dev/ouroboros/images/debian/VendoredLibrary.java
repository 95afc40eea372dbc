package dev.ouroboros.images.debian;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.List;

/**
 * A library in the source package that does not fit the Go which builds it, and Debian's package of one that does.
 *
 * @param importPath as in {@code vendor/modules.txt}
 * @param unfit its versions that do not fit
 * @param debianPackage has the source of one that does
 */
record VendoredLibrary(String importPath, List<String> unfit, String debianPackage) {
    /**
     * Kubernetes 1.20 has reflect2 1.0.1. From Go 1.18 on a map's iterator is larger than the one that it hands to Go's runtime, which writes
     * behind its end: an API server panics for ever on one kind of request, or ends (a SubjectAccessReview with {@code extra} is enough).
     * Source: github.com/modern-go/reflect2, release 1.0.2, go_above_118.go; openshift/hive#1852.
     */
    static final VendoredLibrary REFLECT2 = new VendoredLibrary(
            "github.com/modern-go/reflect2", List.of("v1.0.0", "v1.0.1"), "golang-github-modern-go-reflect2-dev");

    private static final Path GO_SOURCES = Path.of("usr/share/gocode/src");

    VendoredLibrary {
        unfit = List.copyOf(unfit);
    }

    /** Whether an unpacked source has one of those versions. */
    boolean isUnfitIn(Disk disk, Path tree) {
        return disk.readText(tree.resolve("vendor/modules.txt")).stream()
                .flatMap(String::lines)
                .anyMatch(line -> unfit.stream()
                        .anyMatch(version -> line.equals("# " + importPath + " " + version)
                                || line.startsWith("# " + importPath + " " + version + " ")));
    }

    /**
     * Puts the sources of Debian's package in the place of those that do not fit.
     *
     * @param unpacked where the package is unpacked
     * @throws ProblemException PROCESS_FAILED when the package has none
     */
    void replaceIn(Disk disk, Path tree, Path unpacked) {
        Path fit = unpacked.resolve(GO_SOURCES).resolve(importPath);
        List<String> sources = disk.list(fit).stream()
                .filter(name -> name.endsWith(".go") || name.endsWith(".s"))
                .toList();
        if (sources.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.PROCESS_FAILED,
                    "Debian package " + debianPackage,
                    "has no sources below " + GO_SOURCES.resolve(importPath),
                    "those of " + importPath,
                    "use --binaries release or --binaries DIR");
        }
        Path place = tree.resolve("vendor").resolve(importPath);
        disk.deleteTree(place);
        disk.createDirectories(place, "rwxr-xr-x");
        sources.forEach(name -> disk.copy(fit.resolve(name), place.resolve(name), "rw-r--r--"));
    }
}
