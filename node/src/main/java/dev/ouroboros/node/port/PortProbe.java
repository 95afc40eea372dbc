package dev.ouroboros.node.port;

import dev.ouroboros.model.evidence.Health;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.InstantSource;

/**
 * Whether a port takes connections. Controller manager and scheduler serve their health with self-signed certificates, which nobody can verify: for
 * them this has to suffice.
 */
public final class PortProbe {
    private static final int CONNECT_MILLIS = 1000;

    private PortProbe() {}

    /**
     * Probes a port of this node's loopback.
     *
     * @param previous the last result: while the server goes on listening, its time is kept
     */
    public static Health probe(int port, Health previous, InstantSource clock) {
        return probe(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), previous, clock);
    }

    /** Whether a server, of any machine, takes a connection within a second. */
    public static boolean takesConnections(InetSocketAddress server) {
        return probe(server, new Health.NotListening(), InstantSource.system()) instanceof Health.Ready;
    }

    private static Health probe(InetSocketAddress server, Health previous, InstantSource clock) {
        try (Socket socket = new Socket()) {
            socket.connect(server, CONNECT_MILLIS);
            return previous instanceof Health.Ready ? previous : new Health.Ready(clock.instant());
        } catch (ConnectException e) {
            return new Health.NotListening();
        } catch (IOException e) {
            return new Health.NotReady(String.valueOf(e.getMessage()));
        }
    }

    /** Whether a process listens on a port of this node's loopback, even if it does not answer. */
    public static boolean listens(int port) {
        return !(probe(port, new Health.NotListening(), InstantSource.system()) instanceof Health.NotListening);
    }
}
