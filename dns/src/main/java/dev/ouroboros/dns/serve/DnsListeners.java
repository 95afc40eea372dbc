package dev.ouroboros.dns.serve;

import dev.ouroboros.dns.serve.Answerer.Transport;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One port, over UDP and TCP. Each query has a virtual thread; of queries and of connections there is a most at once, beyond which a datagram
 * is dropped, whose sender asks again, and a connection waits.
 */
public final class DnsListeners implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DnsListeners.class);
    private static final int MOST_QUERIES = 512;
    private static final int MOST_CONNECTIONS = 64;
    private static final int LARGEST_QUERY = 4096;
    /** A connection without a query for so long is closed. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Answerer answerer;
    private final Counters counters;
    private final DatagramSocket datagrams;
    private final ServerSocket connections;
    private final Semaphore queries = new Semaphore(MOST_QUERIES);
    private final Semaphore places = new Semaphore(MOST_CONNECTIONS);
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /**
     * Begins to listen.
     *
     * @throws ProblemException PORT_IN_USE
     */
    public DnsListeners(InetSocketAddress address, Answerer answerer, Counters counters) {
        this.answerer = answerer;
        this.counters = counters;
        try {
            this.connections = new ServerSocket();
            connections.setReuseAddress(true);
            connections.bind(address);
            this.datagrams = datagrams(new InetSocketAddress(address.getAddress(), connections.getLocalPort()));
        } catch (IOException e) {
            throw new ProblemException(
                    new Problem(
                            ErrorCode.PORT_IN_USE,
                            address.toString(),
                            "cannot be listened on: " + e.getMessage(),
                            "a free port",
                            "set another with --port"),
                    e);
        }
        Thread.ofVirtual().name("udp").start(this::receive);
        Thread.ofVirtual().name("tcp").start(this::accept);
    }

    private DatagramSocket datagrams(InetSocketAddress address) throws IOException {
        try {
            return new DatagramSocket(address);
        } catch (IOException e) {
            connections.close();
            throw e;
        }
    }

    public int port() {
        return connections.getLocalPort();
    }

    /** Whether both still listen. */
    public boolean isOpen() {
        return !datagrams.isClosed() && !connections.isClosed();
    }

    private void receive() {
        byte[] buffer = new byte[LARGEST_QUERY];
        while (!datagrams.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                datagrams.receive(packet);
                byte[] query = Arrays.copyOf(buffer, packet.getLength());
                SocketAddress client = packet.getSocketAddress();
                if (queries.tryAcquire()) {
                    Thread.ofVirtual().name("query").start(() -> answer(query, client));
                } else {
                    counters.dropped();
                }
            } catch (IOException e) {
                if (!datagrams.isClosed()) {
                    LOG.warn("component=dns event=not-received reason=\"{}\"", e.toString());
                }
            }
        }
    }

    private void answer(byte[] query, SocketAddress client) {
        try {
            Optional<byte[]> answer = answered(query, Transport.UDP);
            if (answer.isPresent()) {
                datagrams.send(new DatagramPacket(answer.get(), answer.get().length, client));
            }
        } catch (IOException e) {
            // Whoever asked cannot be reached any more, or we are being stopped.
            LOG.debug("component=dns event=not-sent client={} reason=\"{}\"", client, e.toString());
        } finally {
            queries.release();
        }
    }

    /** Every expected failure is an answer: what is thrown is a defect, and the next query is none the worse for it. */
    private Optional<byte[]> answered(byte[] query, Transport transport) {
        try {
            return answerer.answer(query, transport);
        } catch (RuntimeException e) {
            LOG.error("component=dns event=defect reason=\"{}\"", e.toString(), e);
            return Optional.empty();
        }
    }

    private void accept() {
        while (!connections.isClosed()) {
            try {
                places.acquire();
                Socket client = accepted();
                Thread.ofVirtual().name("connection").start(() -> serve(client));
            } catch (IOException e) {
                places.release();
                if (!connections.isClosed()) {
                    LOG.warn("component=dns event=not-accepted reason=\"{}\"", e.toString());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private Socket accepted() throws IOException {
        Socket client = connections.accept();
        open.add(client);
        if (connections.isClosed()) {
            client.close();
        }
        return client;
    }

    private void serve(Socket client) {
        try (client) {
            client.setSoTimeout(Math.toIntExact(IDLE.toMillis()));
            DataInputStream input = new DataInputStream(new BufferedInputStream(client.getInputStream(), 1024));
            while (answerOne(input, client.getOutputStream())) {
                // Until the client has no more, or says nothing.
            }
        } catch (EOFException | SocketTimeoutException e) {
            LOG.debug("component=dns event=connection-ended reason=\"{}\"", e.toString());
        } catch (IOException e) {
            LOG.debug("component=dns event=connection-lost reason=\"{}\"", e.toString());
        } finally {
            open.remove(client);
            places.release();
        }
    }

    private boolean answerOne(DataInputStream input, OutputStream output) throws IOException {
        byte[] query = new byte[input.readUnsignedShort()];
        input.readFully(query);
        Optional<byte[]> answer = answered(query, Transport.TCP);
        if (answer.isEmpty()) {
            return false;
        }
        byte[] framed = new byte[answer.get().length + 2];
        framed[0] = (byte) (answer.get().length >> 8);
        framed[1] = (byte) answer.get().length;
        System.arraycopy(answer.get(), 0, framed, 2, answer.get().length);
        output.write(framed);
        output.flush();
        return true;
    }

    @Override
    public void close() {
        datagrams.close();
        try {
            connections.close();
            for (Socket client : open) {
                client.close();
            }
        } catch (IOException e) {
            LOG.warn("component=dns event=not-closed reason=\"{}\"", e.toString());
        }
    }
}
