package dev.ouroboros.keeper.testing;

import dev.ouroboros.model.front.FrontSpec;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.node.front.Front;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A front that needs no kernel: a port of its own, from which new connections are carried to principal or understudy as the map
 * says, and to the understudy when nobody listens for the principal. Established ones stay where they are.
 */
public final class ForwardingFront implements Front, AutoCloseable {
    private static final int CONNECT_MILLIS = 1000;

    private final FrontSpec spec;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final InstantSource clock = InstantSource.system();
    private volatile boolean installed;
    private volatile Optional<Instant> leaseEnds = Optional.empty();
    private volatile Optional<Instant> cutEnds = Optional.empty();
    private final Set<Socket> toPrincipal = ConcurrentHashMap.newKeySet();

    public ForwardingFront(FrontSpec spec) throws IOException {
        this.spec = spec;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** What was asked of it, in order. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    private boolean isCut() {
        return cutEnds.filter(end -> clock.instant().isBefore(end)).isPresent();
    }

    private Optional<Duration> cutOff() {
        return isCut() ? cutEnds.map(end -> Duration.between(clock.instant(), end)) : Optional.empty();
    }

    private boolean leadsToUnderstudy() {
        return leaseEnds.filter(end -> clock.instant().isBefore(end)).isPresent();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                Thread.ofVirtual().start(() -> carry(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void carry(Socket client) {
        try (client;
                Socket server = connect()) {
            sockets.add(server);
            if (server.getPort() == spec.principalPort()) {
                toPrincipal.add(server);
            }
            Thread back = Thread.ofVirtual().start(() -> copy(server, client));
            copy(client, server);
            back.join();
        } catch (IOException e) {
            // Nobody listens: the client sees the same.
            sockets.remove(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Socket connect() throws IOException {
        int first = leadsToUnderstudy() ? spec.understudyPort() : spec.principalPort();
        if (first == spec.principalPort() && isCut()) {
            throw new IOException("reset");
        }
        try {
            return connect(first);
        } catch (IOException e) {
            return connect(spec.understudyPort());
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One end is gone, and the other is closed with it.
            sockets.remove(to);
        }
    }

    @Override
    public FrontSpec spec() {
        return spec;
    }

    @Override
    public void install() {
        calls.add("install");
        installed = true;
    }

    @Override
    public void pointToUnderstudy(Duration lease) {
        calls.add("understudy");
        installed = true;
        leaseEnds = Optional.of(clock.instant().plus(lease));
    }

    @Override
    public void pointToPrincipal() {
        calls.add("principal");
        installed = true;
        leaseEnds = Optional.empty();
    }

    @Override
    public FrontState read() {
        if (!installed) {
            return new FrontState.NotInstalled();
        }
        return leadsToUnderstudy()
                ? new FrontState.ToUnderstudy(Duration.between(clock.instant(), leaseEnds.orElseThrow()), cutOff())
                : new FrontState.ToPrincipal(cutOff());
    }

    @Override
    public void cutOffPrincipal(Duration lease) {
        calls.add("cut off");
        installed = true;
        cutEnds = Optional.of(clock.instant().plus(lease));
        for (Socket socket : toPrincipal) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        toPrincipal.clear();
    }

    @Override
    public void letThrough() {
        calls.add("let through");
        installed = true;
        cutEnds = Optional.empty();
    }

    @Override
    public void remove() {
        calls.add("remove");
        installed = false;
        leaseEnds = Optional.empty();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
