package dev.ouroboros.images.debian;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of Debian's {@code kubernetes} source package.
 *
 * @param packageVersion as Debian writes it, without an epoch: {@code 1.20.5+really1.20.2-1.1+deb12u1}
 * @param kubernetes the upstream version in it: {@code 1.20.2}
 * @param major its first number
 * @param minor its second number
 */
record SourceVersion(String packageVersion, String kubernetes, int major, int minor) {
    /** Debian goes back to an older upstream version with {@code NEWER+reallyOLDER}. */
    private static final Pattern REALLY = Pattern.compile(".*\\+really(.+)");

    private static final Pattern UPSTREAM =
            Pattern.compile("^((\\d+)\\.(\\d+)\\.\\d+)(?:~((?:alpha|beta|rc)[0-9.]*))?.*");

    static SourceVersion parse(String packageVersion) {
        String withoutEpoch = packageVersion.replaceFirst("^\\d+:", "");
        int revision = withoutEpoch.lastIndexOf('-');
        String upstream = revision < 0 ? withoutEpoch : withoutEpoch.substring(0, revision);
        Matcher really = REALLY.matcher(upstream);
        Matcher parts = UPSTREAM.matcher(really.matches() ? really.group(1) : upstream);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no Kubernetes version in the package version " + packageVersion);
        }
        String preRelease = parts.group(4) == null ? "" : "-" + parts.group(4);
        return new SourceVersion(
                withoutEpoch,
                parts.group(1) + preRelease,
                Integer.parseInt(parts.group(2)),
                Integer.parseInt(parts.group(3)));
    }
}
