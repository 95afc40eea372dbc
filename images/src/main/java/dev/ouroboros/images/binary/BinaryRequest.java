package dev.ouroboros.images.binary;

import static java.util.Objects.requireNonNull;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which binaries are wanted.
 *
 * @param source empty: {@link BinaryResolver} decides
 * @param kubernetesVersion empty: the one that the source has; a leading {@code v} is dropped
 * @param installAllowed whether missing Debian packages may be installed
 * @param progress hears what is done
 */
public record BinaryRequest(
        Optional<BinarySource> source, Optional<String> kubernetesVersion, boolean installAllowed, Progress progress) {
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?");

    public BinaryRequest {
        requireNonNull(source, "source");
        requireNonNull(progress, "progress");
        kubernetesVersion = kubernetesVersion.map(BinaryRequest::withoutV);
        kubernetesVersion.filter(version -> !VERSION.matcher(version).matches()).ifPresent(version -> {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--kubernetes-version",
                    "'" + version + "'",
                    "a version such as 1.20.2",
                    "give --kubernetes-version as in 1.20.2, or leave it out");
        });
    }

    private static String withoutV(String version) {
        return version.startsWith("v") ? version.substring(1) : version;
    }

    /**
     * Nothing, or the problem that {@code found} is not the version asked for.
     *
     * @param where the source whose version it is
     */
    public void requireVersion(String found, String where) {
        kubernetesVersion.filter(asked -> !asked.equals(found)).ifPresent(asked -> {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    where,
                    "is Kubernetes " + found,
                    "Kubernetes " + asked + " as --kubernetes-version says",
                    "leave --kubernetes-version out, or name another source of binaries");
        });
    }
}
