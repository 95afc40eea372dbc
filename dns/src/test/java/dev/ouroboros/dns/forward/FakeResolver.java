package dev.ouroboros.dns.forward;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.xbill.DNS.Message;

/** A resolver on loopback, over UDP and TCP, that says what a test says. */
public final class FakeResolver implements AutoCloseable {
    private final DatagramSocket datagrams;
    private final ServerSocket connections;
    private final Function<Message, Optional<Message>> overUdp;
    private final Function<Message, Optional<Message>> overTcp;
    private final List<Message> asked = new CopyOnWriteArrayList<>();

    /** Answers alike over both. */
    public FakeResolver(Function<Message, Optional<Message>> answer) throws IOException {
        this(answer, answer);
    }

    public FakeResolver(Function<Message, Optional<Message>> overUdp, Function<Message, Optional<Message>> overTcp)
            throws IOException {
        this.overUdp = overUdp;
        this.overTcp = overTcp;
        this.connections = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        this.datagrams =
                new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), connections.getLocalPort()));
        Thread.ofVirtual().start(this::receive);
        Thread.ofVirtual().start(this::accept);
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), connections.getLocalPort());
    }

    public List<Message> asked() {
        return List.copyOf(asked);
    }

    private void receive() {
        byte[] buffer = new byte[4096];
        while (!datagrams.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                datagrams.receive(packet);
                Message query = new Message(Arrays.copyOf(buffer, packet.getLength()));
                asked.add(query);
                Optional<Message> answer = overUdp.apply(query);
                if (answer.isPresent()) {
                    byte[] wire = answer.get().toWire(4096);
                    datagrams.send(new DatagramPacket(wire, wire.length, packet.getSocketAddress()));
                }
            } catch (IOException e) {
                if (!datagrams.isClosed()) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private void accept() {
        while (!connections.isClosed()) {
            try (Socket client = connections.accept()) {
                DataInputStream input = new DataInputStream(client.getInputStream());
                byte[] received = new byte[input.readUnsignedShort()];
                input.readFully(received);
                Message query = new Message(received);
                asked.add(query);
                Optional<Message> answer = overTcp.apply(query);
                if (answer.isPresent()) {
                    byte[] wire = answer.get().toWire();
                    client.getOutputStream().write(new byte[] {(byte) (wire.length >> 8), (byte) wire.length});
                    client.getOutputStream().write(wire);
                    client.getOutputStream().flush();
                }
            } catch (IOException e) {
                if (!connections.isClosed()) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        datagrams.close();
        connections.close();
    }
}
