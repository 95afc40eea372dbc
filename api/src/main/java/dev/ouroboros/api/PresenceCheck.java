package dev.ouroboros.api;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Finds out, while an answer is waited for, whether the server's machine is there at all: its kernel accepts connections in milliseconds, however
 * busy its processes are. Only when the answer is late, one connection is made and dropped.
 */
public final class PresenceCheck implements AutoCloseable {
    /** Time for the second SYN, which comes after one second: the first may be lost. */
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
            // A refusal comes from the machine's kernel: the machine is there.
        } catch (SocketTimeoutException | NoRouteToHostException e) {
            nobody = true;
            giveUp.run();
        } catch (IOException e) {
            // A local failure, such as no free port, says nothing of the machine.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the connection got no answer at all. */
    boolean foundNobody() {
        return nobody;
    }

    /** As {@link #foundNobody}, after waiting for the check to end. */
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
