package dev.ouroboros.sandbox;

import dev.ouroboros.model.digest.Sha256;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.regex.Pattern;

/**
 * The name of a sandbox, and the names on this machine that follow from it.
 *
 * @param value a DNS label of at most 40 characters
 */
public record SandboxName(String value) implements Comparable<SandboxName> {
    public static final String DEFAULT = "ouroboros";

    private static final int LONGEST = 40;
    private static final int LONGEST_LABEL = 63;
    /** IFNAMSIZ is 16 and counts the closing zero. */
    private static final int LONGEST_LINK = 15;

    private static final String LINK_PREFIX = "ouro-";
    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");

    public SandboxName {
        if (!isValid(value)) {
            throw ProblemException.of(
                    ErrorCode.INVALID_FLAG,
                    "--name",
                    "'" + value + "' is no name for a sandbox",
                    "at most " + LONGEST + " lower-case letters, digits and hyphens, not first or last a hyphen",
                    "choose another --name, as in demo");
        }
    }

    /** Whether a sandbox may have this name. */
    public static boolean isValid(String value) {
        return value.length() <= LONGEST && isLabel(value);
    }

    /** Whether this is a DNS label (RFC 1123), as the name of a node has to be for its host name. */
    static boolean isLabel(String value) {
        return value.length() <= LONGEST_LABEL && DNS_LABEL.matcher(value).matches();
    }

    /** The name of its first node. It is the sandbox's: commands that take a node need no {@code --name}. */
    public String node() {
        return value;
    }

    /** The control group, below the root of every hierarchy. */
    public String cgroup() {
        return "ouroboros-" + value;
    }

    /** The host's end of the pair of network devices. A name too long for a device is replaced by its hash. */
    public String link() {
        String whole = LINK_PREFIX + value;
        return whole.length() <= LONGEST_LINK ? whole : LINK_PREFIX + hash(LONGEST_LINK - LINK_PREFIX.length());
    }

    private String hash(int digits) {
        return Sha256.hex(value).substring(0, digits);
    }

    @Override
    public int compareTo(SandboxName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
