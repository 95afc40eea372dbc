package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Optional;

/**
 * A version of the API server, and the older one that it emulates if it was told to: then its APIs, features and what it stores are
 * those of the older version (KEP-4330).
 *
 * @param version as the server says it, without a leading v
 */
public record Release(String version, Optional<KubernetesVersion> emulates) {
    private static final String AS = " as ";

    public Release {
        version = version.startsWith("v") ? version.substring(1) : version;
        String own = KubernetesVersion.parse(version)
                .map(KubernetesVersion::minorName)
                .orElse("");
        emulates = emulates.filter(older -> !older.minorName().equals(own)).map(KubernetesVersion::minorVersion);
    }

    /** @param answer of {@code /version}; servers that cannot emulate say nothing of it */
    public static Release of(Json answer) {
        String emulated = answer.at("emulationMajor").text().orElse("") + "."
                + answer.at("emulationMinor").text().orElse("");
        return new Release(answer.at("gitVersion").text().orElse(""), KubernetesVersion.parse(emulated));
    }

    /** Reads what {@link #toString} wrote. */
    public static Release parse(String text) {
        int as = text.indexOf(AS);
        return as < 0
                ? new Release(text, Optional.empty())
                : new Release(text.substring(0, as), KubernetesVersion.parse(text.substring(as + AS.length())));
    }

    /**
     * Whether one of the two may have stored objects that the other cannot read. A version that cannot be parsed is like no other, so
     * that nobody goes back to it unasked.
     */
    public boolean isOfAnotherMinor(Release other) {
        return !minor().equals(other.minor());
    }

    /** Whether they are of different versions, whatever the builds are called. A version that cannot be parsed says nothing of it. */
    public boolean isOfAnotherVersion(Release other) {
        return KubernetesVersion.parse(version)
                .flatMap(own -> KubernetesVersion.parse(other.version).map(second -> own.compareTo(second) != 0))
                .orElse(false);
    }

    private String minor() {
        return emulates.or(() -> KubernetesVersion.parse(version))
                .map(KubernetesVersion::minorName)
                .orElse(version);
    }

    /** As in {@code 1.36.3}, or {@code 1.36.3 as 1.35}. */
    @Override
    public String toString() {
        return version + emulates.map(older -> AS + older.minorName()).orElse("");
    }
}
