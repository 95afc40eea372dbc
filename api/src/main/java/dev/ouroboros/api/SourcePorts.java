package dev.ouroboros.api;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The local ports that connections leave from, used in turn. By its port a packet filter can tell such a connection from all others of the machine.
 */
public final class SourcePorts {
    /** Whichever the kernel chooses. */
    public static final SourcePorts ANY = new SourcePorts(0, 0);

    private static final int TRIES = 8;

    private final int first;
    private final int count;
    private final AtomicInteger next = new AtomicInteger();

    private SourcePorts(int first, int count) {
        this.first = first;
        this.count = count;
    }

    /** The ports from the first to the last. The system must not use them for other connections (ip_local_port_range). */
    public static SourcePorts between(int first, int last) {
        if (first <= 0 || last < first) {
            throw new IllegalArgumentException("no range of ports: " + first + " to " + last);
        }
        return new SourcePorts(first, last - first + 1);
    }

    /**
     * Binds a socket that is to connect.
     *
     * @throws BindException when none of the ports is free
     */
    void bind(Socket socket) throws IOException {
        if (count == 0) {
            return;
        }
        // Without this a port could not be used again for a minute after each connection that we closed, for whatever
        // server.
        socket.setReuseAddress(true);
        for (int attempt = 1; attempt < count; attempt++) {
            try {
                socket.bind(new InetSocketAddress(port()));
                return;
            } catch (BindException e) {
                // Another connection has this port; when all are taken, the exception is thrown below.
            }
        }
        socket.bind(new InetSocketAddress(port()));
    }

    /** How many ports to try: the one from which the same server was asked a moment ago is not free yet. */
    int tries() {
        return count == 0 ? 1 : TRIES;
    }

    private int port() {
        return first + Math.floorMod(next.getAndIncrement(), count);
    }
}
