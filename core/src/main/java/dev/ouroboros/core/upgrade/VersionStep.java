package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.version.KubernetesVersion;

/** From the version of now to the one that is asked for. */
public record VersionStep(KubernetesVersion now, KubernetesVersion target) {
    /** The same minor version: only patches, arguments or images change. */
    public boolean isWithinMinor() {
        return now.minorVersion().equals(target.minorVersion());
    }

    /** To an older one, which is the business of a rollback. */
    public boolean isDowngrade() {
        return target.compareTo(now) < 0;
    }
}
