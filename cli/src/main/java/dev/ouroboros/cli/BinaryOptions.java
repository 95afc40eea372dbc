package dev.ouroboros.cli;

import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.binary.Progress;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which Kubernetes, and where its binaries come from: shared by all commands that need binaries. */
final class BinaryOptions {
    /** The source to use when no option names one. */
    private static final String SOURCE_VARIABLE = "OURO_BINARY_SOURCE";

    @Option(
            names = "--binaries",
            paramLabel = "DIR",
            description =
                    "take kube-apiserver, kube-controller-manager, kube-scheduler, kubelet, kube-proxy, kubectl and etcd"
                            + " from this directory")
    private Optional<Path> binaries = Optional.empty();

    @Option(
            names = "--kubernetes-version",
            paramLabel = "VERSION",
            description = "such as 1.20.2; default: the one that the source has")
    private Optional<String> kubernetesVersion = Optional.empty();

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = {
                "release: the official downloads; debian: Debian's source package, built once.",
                "Default: $" + SOURCE_VARIABLE + " (which can name a directory too), else what is in the cache, else"
                        + " release when it answers, else debian"
            })
    private Optional<String> source = Optional.empty();

    @Option(names = "--no-install", description = "fail instead of installing missing Debian packages")
    private boolean noInstall;

    BinaryRequest request(Map<String, String> environment, Progress progress) {
        if (binaries.isPresent() && source.isPresent()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE, "--binaries and --source", "both name a source", "one of them", "");
        }
        Optional<BinarySource> chosen = binaries.<BinarySource>map(BinarySource.Directory::new)
                .or(() -> source.or(() -> Optional.ofNullable(environment.get(SOURCE_VARIABLE)))
                        .filter(value -> !value.isBlank())
                        .map(BinarySource::parse));
        return new BinaryRequest(chosen, kubernetesVersion, !noInstall, progress);
    }
}
