package dev.ouroboros.images;

import dev.ouroboros.images.binary.Binaries;
import dev.ouroboros.images.binary.BinaryRequest;
import dev.ouroboros.images.binary.BinarySource;
import dev.ouroboros.images.debian.DebianSource;
import dev.ouroboros.images.directory.DirectorySource;
import dev.ouroboros.images.release.ReleaseSource;
import java.util.Optional;

/**
 * Gets the binaries that a request asks for. A request that names no source is decided so:
 *
 * <ol>
 *   <li>What is in the cache already, of the version asked for or else the newest, release before Debian: nothing is asked of the
 *       network, and a second run uses what the first one used.
 *   <li>The release, when its server answers within two seconds.
 *   <li>Debian. When that has another version than the one asked for, the error names both.
 * </ol>
 */
public final class BinaryResolver {
    private final DirectorySource directory;
    private final ReleaseSource release;
    private final DebianSource debian;

    public BinaryResolver(DirectorySource directory, ReleaseSource release, DebianSource debian) {
        this.directory = directory;
        this.release = release;
        this.debian = debian;
    }

    /** The binaries, after whatever it takes to get them; warnings are in the result and have not been said. */
    public Binaries resolve(BinaryRequest request) {
        return request.source().map(source -> from(source, request)).orElseGet(() -> fromAnywhere(request));
    }

    /** What is there already: nothing is fetched, built or installed. */
    public Optional<Binaries> present(BinaryRequest request) {
        return request.source()
                .map(source -> present(source, request))
                .orElseGet(() -> release.cached(request.kubernetesVersion())
                        .or(() -> debian.cached(request.kubernetesVersion())));
    }

    private Optional<Binaries> present(BinarySource source, BinaryRequest request) {
        return switch (source) {
            case BinarySource.Directory named -> directory.present(named.directory(), request);
            case BinarySource.Release _ -> release.cached(request.kubernetesVersion());
            case BinarySource.Debian _ -> debian.cached(request.kubernetesVersion());
        };
    }

    private Binaries from(BinarySource source, BinaryRequest request) {
        return switch (source) {
            case BinarySource.Directory named -> directory.resolve(named.directory(), request);
            case BinarySource.Release _ -> release.resolve(request);
            case BinarySource.Debian _ -> debian.resolve(request);
        };
    }

    private Binaries fromAnywhere(BinaryRequest request) {
        Optional<Binaries> cached =
                release.cached(request.kubernetesVersion()).or(() -> debian.cached(request.kubernetesVersion()));
        if (cached.isPresent()) {
            return cached.get();
        }
        if (release.reachable()) {
            return release.resolve(request);
        }
        request.progress().say("the release downloads do not answer: building Debian's source package instead");
        return debian.resolve(request);
    }
}
