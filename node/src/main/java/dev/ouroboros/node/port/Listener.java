package dev.ouroboros.node.port;

import java.util.Optional;

/**
 * A process that listens on a TCP port.
 *
 * @param process its id, in our PID namespace
 * @param command its command line, arguments separated by spaces
 * @param podUid UID of the pod that it belongs to, by its control group; empty when it belongs to none
 */
public record Listener(long process, String command, Optional<String> podUid) {
    /** The program's file name, as in {@code kube-apiserver}. */
    public String program() {
        String file = command.replaceFirst(" .*", "");
        return file.substring(file.lastIndexOf('/') + 1);
    }
}
