package dev.ouroboros.images.binary;

import static java.util.Objects.requireNonNull;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The binaries of one cluster, present on this machine's disk.
 *
 * @param origin where they came from, for people
 * @param kubernetesVersion without a leading {@code v}
 * @param etcdVersion without a leading {@code v}
 * @param files an executable for every required {@link Binary}, and for those optional ones that there are
 * @param warnings what a person should know about them
 */
public record Binaries(
        String origin, String kubernetesVersion, String etcdVersion, Map<Binary, Path> files, List<String> warnings) {
    private static final List<Binary> OUTSIDE_OF_PODS =
            List.of(Binary.KUBELET, Binary.KUBECTL, Binary.ETCDCTL, Binary.ETCDUTL);

    public Binaries {
        requireNonNull(origin, "origin");
        requireNonNull(kubernetesVersion, "kubernetesVersion");
        requireNonNull(etcdVersion, "etcdVersion");
        files = Collections.unmodifiableMap(new EnumMap<>(files));
        warnings = List.copyOf(warnings);
        for (Binary binary : Binary.values()) {
            if (binary.required() && !files.containsKey(binary)) {
                throw new IllegalArgumentException("no " + binary.fileName() + " among the binaries");
            }
        }
    }

    /** The file of a required binary, or of an optional one that must be there. */
    public Path file(Binary binary) {
        return find(binary)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        origin,
                        "has no " + binary.fileName(),
                        "",
                        "use another source of binaries"));
    }

    public Optional<Path> find(Binary binary) {
        return Optional.ofNullable(files.get(binary));
    }

    /** What a node runs itself, by the names of the files. */
    public Map<String, Path> outsideOfPods() {
        Map<String, Path> programs = new LinkedHashMap<>();
        OUTSIDE_OF_PODS.forEach(binary -> find(binary).ifPresent(program -> programs.put(binary.fileName(), program)));
        return programs;
    }
}
