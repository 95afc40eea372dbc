package dev.ouroboros.upgrade.plan;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Optional;

/**
 * What somebody asks for beside the Cluster document, and what wins over it.
 *
 * @param version to go to; empty for the document's
 * @param emulated the older version that the API server is to emulate, or {@code none}; empty for what the document says
 */
public record Wanted(Optional<KubernetesVersion> version, Optional<String> emulated) {
    /** No emulation. */
    public static final String NONE = "none";

    /** Nothing but the document. */
    public static Wanted nothing() {
        return new Wanted(Optional.empty(), Optional.empty());
    }

    /** A version, served as itself or as the document says. */
    public static Wanted of(KubernetesVersion version) {
        return new Wanted(Optional.of(version), Optional.empty());
    }
}
