package dev.ouroboros.model.version;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes version, as in {@code v1.20.2} or {@code v1.36.0-rc.1}.
 *
 * @param suffix what follows the patch number, with its dash or plus sign; empty for a release
 */
public record KubernetesVersion(int major, int minor, int patch, String suffix)
        implements Comparable<KubernetesVersion> {
    private static final Pattern SYNTAX =
            Pattern.compile("v?(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?([-+][0-9A-Za-z.+-]+)?");

    /** Ignores the suffix: ranges of version data are in minor versions. */
    private static final Comparator<KubernetesVersion> ORDER = Comparator.comparingInt(KubernetesVersion::major)
            .thenComparingInt(KubernetesVersion::minor)
            .thenComparingInt(KubernetesVersion::patch);

    public static KubernetesVersion of(int major, int minor) {
        return new KubernetesVersion(major, minor, 0, "");
    }

    /** Parses a version with or without a leading v, with or without a patch number; empty when it is none. */
    public static Optional<KubernetesVersion> parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String patch = matcher.group(3);
        String suffix = matcher.group(4);
        return Optional.of(new KubernetesVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                patch == null ? 0 : Integer.parseInt(patch),
                suffix == null ? "" : suffix));
    }

    /** The first version of this minor version: what version data is compared with. */
    public KubernetesVersion minorVersion() {
        return of(major, minor);
    }

    /** As in {@code 1.20}. */
    public String minorName() {
        return major + "." + minor;
    }

    /** As in {@code 1.20.2}. */
    public String number() {
        return major + "." + minor + "." + patch + suffix;
    }

    /** As in {@code v1.20.2}: the form of release tags. */
    public String tag() {
        return "v" + number();
    }

    @Override
    public int compareTo(KubernetesVersion other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return tag();
    }
}
