package dev.ouroboros.cli.cluster;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The kubeconfig that {@code $KUBECONFIG} names: it may be a list of files, as for kubectl. */
public final class KubeconfigVariable {
    private KubeconfigVariable() {}

    /** The kubeconfig of this process' environment. */
    public static Optional<Path> read() {
        return Optional.ofNullable(System.getenv("KUBECONFIG")).flatMap(KubeconfigVariable::first);
    }

    /** The first file of the list that exists; where none does, the first of the list, which is then reported as missing. */
    static Optional<Path> first(String value) {
        List<Path> files = Stream.of(value.split(File.pathSeparator, -1))
                .filter(name -> !name.isEmpty())
                .map(Path::of)
                .toList();
        return files.stream()
                .filter(Files::exists)
                .findFirst()
                .or(() -> files.stream().findFirst());
    }
}
