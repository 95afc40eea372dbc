package dev.ouroboros.node.libc;

import dev.ouroboros.model.problem.FileTrouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A file that the parent process left open in this one. Java knows nothing of such a descriptor. */
public final class InheritedFile {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private InheritedFile() {}

    /**
     * Closes every descriptor of a file; a lock of flock(2) that hangs on it is given back with the last one of all processes. No object of
     * Java's may have the file open: it would close another's descriptor later.
     *
     * @return how many there were
     * @throws dev.ouroboros.model.problem.ProblemException when the file is missing, or the descriptors cannot be listed
     */
    public static int closeAll(Path file) {
        List<Integer> open = descriptorsOf(file);
        if (!open.isEmpty()) {
            Libc libc = new Libc();
            open.forEach(libc::close);
        }
        return open.size();
    }

    private static List<Integer> descriptorsOf(Path file) {
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
            Path real = file.toRealPath();
            List<Integer> found = new ArrayList<>();
            for (Path descriptor : descriptors.toList()) {
                if (leadsTo(descriptor, real)) {
                    found.add(Integer.parseInt(descriptor.getFileName().toString()));
                }
            }
            return found;
        } catch (IOException e) {
            throw FileTrouble.of(file, "cannot be looked for among the open files", e);
        }
    }

    private static boolean leadsTo(Path descriptor, Path file) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (NoSuchFileException e) {
            // The one with which the list was read.
            return false;
        }
    }
}
