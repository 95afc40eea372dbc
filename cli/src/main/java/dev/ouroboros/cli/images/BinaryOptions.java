package dev.ouroboros.cli.images;

import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.binary.Progress;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which Kubernetes, and where its binaries come from: what all commands that need binaries have in common. */
public final class BinaryOptions {
    /** The source when no option names one; for machines where every run must use the same, CI for example. */
    static final String SOURCE_VARIABLE = "OURO_BINARIES";

    @Option(
            names = {"--binaries", "--source"},
            paramLabel = "SOURCE",
            description = "A directory with Kubernetes' binaries and etcd, or release, or debian"
                    + " (default: $" + SOURCE_VARIABLE
                    + ", else the cache, else release when it can be reached, else debian).")
    private Optional<String> source = Optional.empty();

    @Option(
            names = "--kubernetes-version",
            paramLabel = "VERSION",
            description = "As in v1.20.2 (default: the one that the binaries have).")
    private Optional<String> kubernetesVersion = Optional.empty();

    @Option(names = "--no-install", description = "Do not install Debian packages; fail when one is missing.")
    private boolean noInstall;

    public Optional<BinarySource> source() {
        return source.or(() -> Optional.ofNullable(System.getenv(SOURCE_VARIABLE)))
                .filter(value -> !value.isBlank())
                .map(BinarySource::parse);
    }

    public Optional<String> kubernetesVersion() {
        return kubernetesVersion;
    }

    /** Whether the command line says anything of binaries. */
    boolean given() {
        return source.isPresent() || kubernetesVersion.isPresent();
    }

    public boolean installAllowed() {
        return !noInstall;
    }

    /** The request; {@code version} counts when no option names one. */
    public BinaryRequest request(Optional<String> version, Progress progress) {
        return new BinaryRequest(source(), kubernetesVersion.or(() -> version), installAllowed(), progress);
    }
}
