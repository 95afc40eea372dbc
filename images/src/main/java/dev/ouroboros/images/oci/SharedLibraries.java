package dev.ouroboros.images.oci;

import dev.ouroboros.images.binary.Architecture;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds what the dynamic linker will look for. The libraries of a program are those that it names, those that they name, and
 * so on; each is taken from the first root directory that has it.
 */
final class SharedLibraries {
    private final List<Path> roots;
    private final Architecture architecture;

    SharedLibraries(List<Path> roots, Architecture architecture) {
        this.roots = List.copyOf(roots);
        this.architecture = architecture;
    }

    /** Path in the image to file on this disk, for the dynamic linker and every library that these files need. */
    SortedMap<String, Path> closure(Collection<Path> programsAndPlugins) {
        return closure(programsAndPlugins, Set.of());
    }

    /**
     * As {@link #closure(Collection)}, for files that bring libraries of their own and know where they are, as a JVM.
     *
     * @param own names of these libraries
     */
    SortedMap<String, Path> closure(Collection<Path> programsAndPlugins, Set<String> own) {
        SortedMap<String, Path> found = new TreeMap<>();
        Deque<Path> toRead = new ArrayDeque<>(programsAndPlugins);
        while (!toRead.isEmpty()) {
            Path file = toRead.removeFirst();
            Optional<ElfFile> elf = ElfFile.read(file);
            if (elf.isEmpty()) {
                continue;
            }
            elf.get().interpreter().ifPresent(linker -> found.computeIfAbsent(linker, path -> find(path, file)));
            for (String name : elf.get().needed()) {
                String inImage = "/lib/" + architecture.libraryDirectory() + "/" + name;
                if (!own.contains(name) && !found.containsKey(inImage)) {
                    Path library = findLibrary(name, file);
                    found.put(inImage, library);
                    toRead.addLast(library);
                }
            }
        }
        return found;
    }

    private Path findLibrary(String name, Path neededBy) {
        String multiarch = architecture.libraryDirectory();
        for (String directory :
                List.of("/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib64", "/usr/lib64", "/lib", "/usr/lib")) {
            Optional<Path> found = inRoots(directory + "/" + name);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw notFound(name, neededBy);
    }

    private Path find(String path, Path neededBy) {
        return inRoots(path).orElseThrow(() -> notFound(path, neededBy));
    }

    private Optional<Path> inRoots(String path) {
        return roots.stream()
                .map(root -> root.resolve(path.substring(1)))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    private ProblemException notFound(String name, Path neededBy) {
        return ProblemException.of(
                ErrorCode.MISSING_TOOL,
                neededBy.toString(),
                "needs the shared library " + name + ", which is not in " + roots,
                "",
                "install the library, or use a statically linked binary");
    }
}
