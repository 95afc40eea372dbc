package dev.ouroboros.dns.forward;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;
import org.xbill.DNS.WireParseException;

/**
 * One resolver: a query over UDP, and over TCP when the answer did not fit. Each has a socket of its own, so that who wants to forge an
 * answer must guess its port, the query's number and the question.
 */
final class Upstream {
    private static final int LARGEST_DATAGRAM = 4096;

    private final InetSocketAddress address;

    Upstream(InetSocketAddress address) {
        this.address = address;
    }

    InetSocketAddress address() {
        return address;
    }

    Message ask(Message query, Duration limit) throws IOException {
        long deadline = System.nanoTime() + limit.toNanos();
        Message answer = overUdp(query, deadline);
        return answer.getHeader().getFlag(Flags.TC) ? overTcp(query, deadline) : answer;
    }

    private Message overUdp(Message query, long deadline) throws IOException {
        byte[] wire = query.toWire();
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(address);
            socket.send(new DatagramPacket(wire, wire.length));
            byte[] buffer = new byte[LARGEST_DATAGRAM];
            while (true) {
                socket.setSoTimeout(left(deadline));
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                Optional<Message> answer =
                        parsed(Arrays.copyOf(buffer, packet.getLength())).filter(message -> answers(message, query));
                if (answer.isPresent()) {
                    return answer.get();
                }
            }
        }
    }

    /** Empty for what is no message: the answer may still come. */
    private static Optional<Message> parsed(byte[] received) {
        try {
            return Optional.of(new Message(received));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Message overTcp(Message query, long deadline) throws IOException {
        byte[] wire = query.toWire();
        try (Socket socket = new Socket()) {
            socket.connect(address, left(deadline));
            socket.setSoTimeout(left(deadline));
            DataOutputStream output = new DataOutputStream(socket.getOutputStream());
            byte[] framed = new byte[wire.length + 2];
            framed[0] = (byte) (wire.length >> 8);
            framed[1] = (byte) wire.length;
            System.arraycopy(wire, 0, framed, 2, wire.length);
            output.write(framed);
            output.flush();
            DataInputStream input = new DataInputStream(socket.getInputStream());
            byte[] received = new byte[input.readUnsignedShort()];
            input.readFully(received);
            Message answer = new Message(received);
            if (!answers(answer, query)) {
                throw new WireParseException("an answer to another question");
            }
            return answer;
        }
    }

    private static boolean answers(Message answer, Message query) {
        Record asked = query.getQuestion();
        Record told = answer.getQuestion();
        return answer.getHeader().getID() == query.getHeader().getID()
                && answer.getHeader().getFlag(Flags.QR)
                && asked != null
                && asked.equals(told);
    }

    private static int left(long deadline) throws SocketTimeoutException {
        long millis = (deadline - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
            throw new SocketTimeoutException("no answer in time");
        }
        return (int) millis;
    }
}
