package dev.ouroboros.etcd;

import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.operator.OperatorCreationException;

/** What looks like an etcd over TLS and HTTP/2, and does with a call what a test says. One call a connection, behind the proof of a majority. */
final class FakeEtcd implements AutoCloseable {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int END_HEADERS = 4;
    private static final int END_STREAM = 1;
    private static final int PREFACE_BYTES = 24;

    /** What is done with the one call of a connection. */
    interface Behaviour {
        void serve(String method, Connection connection) throws IOException;
    }

    private static final String ALARM = "Alarm";

    private final SSLServerSocket server;
    private final Behaviour behaviour;
    private final boolean hasMajority;
    private final CopyOnWriteArrayList<SSLSocket> open = new CopyOnWriteArrayList<>();

    private FakeEtcd(SSLServerSocket server, Behaviour behaviour, boolean hasMajority) {
        this.server = server;
        this.behaviour = behaviour;
        this.hasMajority = hasMajority;
    }

    /** A member that answers every call as the test says. */
    static FakeEtcd start(TestIdentity identity, Behaviour behaviour)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        return start(identity, behaviour, false);
    }

    /** A member that a majority is with: it tells its alarms, none, and answers the next call of the connection as the test says. */
    static FakeEtcd ofMajority(TestIdentity identity, Behaviour behaviour)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        return start(identity, behaviour, true);
    }

    private static FakeEtcd start(TestIdentity identity, Behaviour behaviour, boolean hasMajority)
            throws GeneralSecurityException, IOException, OperatorCreationException {
        SSLServerSocket server = (SSLServerSocket) identity.authority()
                .serverContext()
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        SSLParameters parameters = server.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        server.setSSLParameters(parameters);
        FakeEtcd fake = new FakeEtcd(server, behaviour, hasMajority);
        Thread.ofVirtual().start(fake::accept);
        return fake;
    }

    EtcdServers servers(TestIdentity identity) {
        return EtcdServers.of(List.of(url()), identity.client());
    }

    String url() {
        return "https://127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                SSLSocket socket = (SSLSocket) server.accept();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (SocketException e) {
            return; // the test is over
        } catch (IOException e) {
            throw new IllegalStateException("accepting", e);
        }
    }

    private void serve(SSLSocket socket) {
        try (socket) {
            Connection connection = new Connection(socket);
            String method = connection.request();
            if (hasMajority && method.equals(ALARM)) {
                connection.begin();
                connection.message(new MessageWriter());
                connection.end(0, "");
                method = connection.request();
            }
            behaviour.serve(method, connection);
        } catch (EOFException | SocketException e) {
            return; // the client has gone
        } catch (IOException e) {
            throw new IllegalStateException("serving", e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (SSLSocket socket : open) {
            socket.close();
        }
    }

    /** The server's side of one call after the other. */
    static final class Connection {
        private final SSLSocket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private int stream;

        private Connection(SSLSocket socket) throws IOException {
            this.socket = socket;
            this.in = new DataInputStream(socket.getInputStream());
            this.out = new DataOutputStream(socket.getOutputStream());
        }

        /** Reads the request; what it says is known from the method, which our headers have as they are. */
        private String request() throws IOException {
            if (stream == 0) {
                in.readNBytes(PREFACE_BYTES);
                frame(SETTINGS, 0, 0, new byte[0]);
            }
            String method = "";
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                int flags = in.readUnsignedByte();
                int about = in.readInt();
                byte[] payload = in.readNBytes(length);
                if (type == HEADERS) {
                    stream = about;
                    String block = new String(payload, StandardCharsets.ISO_8859_1);
                    method = block.replaceAll("(?s).*Maintenance/([A-Za-z]+).*", "$1");
                }
                if (type == DATA && (flags & END_STREAM) != 0) {
                    return method;
                }
            }
        }

        void begin() throws IOException {
            headers(0, Map.of(":status", "200", "content-type", "application/grpc"));
        }

        void message(MessageWriter message) throws IOException {
            byte[] bytes = message.toBytes();
            ByteArrayOutputStream framed = new ByteArrayOutputStream();
            DataOutputStream prefixed = new DataOutputStream(framed);
            prefixed.writeByte(0);
            prefixed.writeInt(bytes.length);
            prefixed.write(bytes);
            byte[] all = framed.toByteArray();
            for (int from = 0; from < all.length; from += 1 << 14) {
                frame(DATA, 0, stream, java.util.Arrays.copyOfRange(all, from, Math.min(all.length, from + (1 << 14))));
            }
        }

        void end(int status, String message) throws IOException {
            headers(END_STREAM, Map.of("grpc-status", Integer.toString(status), "grpc-message", message));
        }

        /** As a server that dies. */
        void cut() throws IOException {
            socket.close();
        }

        /** As a server that hangs: until the client goes. */
        void hang() throws IOException {
            while (in.read() >= 0) {
                // whatever it says
            }
        }

        private void headers(int flags, Map<String, String> headers) throws IOException {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            // The status first, as HTTP/2 demands.
            headers.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(header -> {
                block.write(0);
                string(block, header.getKey());
                string(block, header.getValue());
            });
            frame(HEADERS, flags | END_HEADERS, stream, block.toByteArray());
        }

        private static void string(ByteArrayOutputStream block, String text) {
            block.write(text.length());
            block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }

        private void frame(int type, int flags, int about, byte[] payload) throws IOException {
            out.writeByte(payload.length >> 16);
            out.writeShort(payload.length);
            out.writeByte(type);
            out.writeByte(flags);
            out.writeInt(about);
            out.write(payload);
            out.flush();
        }
    }
}
