package dev.ouroboros.node.front;

import dev.ouroboros.node.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/** A place from which a server can be asked who it is. */
@FunctionalInterface
public interface Dialer {
    Duration TIMEOUT = Duration.ofSeconds(2);

    /**
     * Asks the server at an address for its certificate.
     *
     * @throws IOException when nobody answers with a certificate
     */
    CertificateIdentity identify(InetAddress address, int port) throws IOException;

    /** From our own network namespace. */
    static Dialer here() {
        return (address, port) -> CertificateIdentity.of(address, port, TIMEOUT);
    }

    /** From another network namespace of this machine. */
    static Dialer inside(NetworkNamespace namespace) {
        return (address, port) -> {
            try {
                return namespace.call(() -> CertificateIdentity.of(address, port, TIMEOUT));
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException refused) {
                    throw refused;
                }
                throw new IllegalStateException("dialing from " + namespace, e.getCause());
            }
        };
    }
}
