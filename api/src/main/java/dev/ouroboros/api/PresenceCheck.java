package dev.ouroboros.api;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Finds out, while somebody waits for an answer, whether the machine that it is to come from is there at all: a kernel takes connections in
 * milliseconds, however busy its processes are. Nothing is done unless the answer is late, and then one connection is made and dropped.
 */
public final class PresenceCheck implements AutoCloseable {
    /** The first SYN may be lost: there is time for the second, which comes after one second. */
    static final Duration LONGEST_CONNECT = Duration.ofMillis(1200);

    private static final Duration ANSWER_IS_LATE = Duration.ofMillis(700);

    private final Thread looking;
    private volatile boolean nobody;

    private PresenceCheck(InetSocketAddress address, SourcePorts ports, Runnable giveUp) {
        this.looking = Thread.ofVirtual().name("presence").unstarted(() -> look(address, ports, giveUp));
    }

    /** @param giveUp ends the wait when nobody is there */
    public static PresenceCheck begin(InetSocketAddress address, SourcePorts ports, Runnable giveUp) {
        PresenceCheck check = new PresenceCheck(address, ports, giveUp);
        check.looking.start();
        return check;
    }

    private void look(InetSocketAddress address, SourcePorts ports, Runnable giveUp) {
        try (Socket socket = new Socket()) {
            Thread.sleep(ANSWER_IS_LATE);
            ports.bind(socket);
            socket.connect(address, Math.toIntExact(LONGEST_CONNECT.toMillis()));
        } catch (ConnectException e) {
            // Its kernel refused: the machine is there.
        } catch (SocketTimeoutException | NoRouteToHostException e) {
            nobody = true;
            giveUp.run();
        } catch (IOException e) {
            // Says nothing of the machine, as when every port is in use.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether nobody answered who wanted to connect. */
    boolean foundNobody() {
        return nobody;
    }

    /** As {@link #foundNobody}, when it has looked to its end. */
    public boolean awaitNobody() {
        try {
            looking.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return nobody;
    }

    @Override
    public void close() {
        looking.interrupt();
    }
}
