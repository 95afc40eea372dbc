package dev.ouroboros.node.kubelet;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The name that a kubelet gives its Node unless it is told another. */
public final class NodeName {
    /** Where the kernel tells the host name. */
    public static final String FILE = "/proc/sys/kernel/hostname";

    private static final int LONGEST = 253;
    /** A DNS subdomain (RFC 1123), which the API server wants of every Node. */
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private NodeName() {}

    /** The name that this machine's kubelet gives its Node; empty when the machine has no host name. */
    public static Optional<String> ofThisMachine(Disk disk) {
        return disk.readText(Path.of(FILE)).flatMap(NodeName::of);
    }

    /**
     * The name for a machine with this host name: in lower case, without white space (GetHostname in Kubernetes' component-helpers/node/util); no DNS
     * need know it. Empty when that leaves nothing.
     */
    public static Optional<String> of(String hostName) {
        return Optional.of(hostName.strip().toLowerCase(Locale.ROOT)).filter(name -> !name.isEmpty());
    }

    /** The name that a kubelet makes of the one that it is told, as it makes one of the host name. */
    public static String said(String name) {
        return of(name).orElse("");
    }

    /** What is wrong with a name; empty where a Node may have it. */
    public static Optional<Problem> unfit(String name) {
        return name.length() <= LONGEST && SUBDOMAIN.matcher(name).matches()
                ? Optional.empty()
                : Optional.of(new Problem(
                        ErrorCode.BAD_USAGE,
                        "--node-name",
                        "'" + name + "' is no name of a Node",
                        "lower-case letters, digits, '-' and '.', of which each part begins and ends with a letter or digit",
                        "say another with --node-name"));
    }
}
