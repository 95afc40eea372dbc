package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Optional;

/**
 * Minor versions from {@code since} (included) to {@code until} (excluded); empty means without a bound.
 */
public record VersionRange(Optional<KubernetesVersion> since, Optional<KubernetesVersion> until) {
    public static final VersionRange ALL = new VersionRange(Optional.empty(), Optional.empty());

    public VersionRange {
        if (since.isPresent() && until.isPresent() && since.get().compareTo(until.get()) >= 0) {
            throw new IllegalArgumentException("empty version range " + since.get() + " to " + until.get());
        }
    }

    public boolean contains(KubernetesVersion version) {
        KubernetesVersion minor = version.minorVersion();
        return since.map(first -> first.compareTo(minor) <= 0).orElse(true)
                && until.map(end -> minor.compareTo(end) < 0).orElse(true);
    }

    /** True when the range ended before this version: what it describes was removed. */
    public boolean endedBefore(KubernetesVersion version) {
        return until.map(end -> end.compareTo(version.minorVersion()) <= 0).orElse(false);
    }

    /** As in {@code 1.20 to 1.23} or {@code 1.32 and later}. */
    public String describe() {
        String first = since.map(KubernetesVersion::minorName).orElse("");
        return until.map(end ->
                        first.isEmpty() ? "before " + end.minorName() : "from " + first + ", before " + end.minorName())
                .orElse(first.isEmpty() ? "every version" : "from " + first);
    }
}
