package dev.ouroboros.node.kubelet;

import dev.ouroboros.node.disk.Disk;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** The name that a kubelet gives its Node unless it is told another. */
public final class NodeName {
    /** Where the kernel tells the host name. */
    public static final String FILE = "/proc/sys/kernel/hostname";

    private NodeName() {}

    /** Of this machine; empty when it has no host name. */
    public static Optional<String> ofThisMachine(Disk disk) {
        return disk.readText(Path.of(FILE)).flatMap(NodeName::of);
    }

    /**
     * Of a machine with this host name: in lower case, without white space (GetHostname in Kubernetes' component-helpers/node/util); the name need not
     * be in any DNS. Empty when that leaves nothing.
     */
    public static Optional<String> of(String hostName) {
        return Optional.of(hostName.strip().toLowerCase(Locale.ROOT)).filter(name -> !name.isEmpty());
    }
}
