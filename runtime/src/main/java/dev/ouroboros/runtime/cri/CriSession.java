package dev.ouroboros.runtime.cri;

import dev.ouroboros.runtime.grpc.GrpcConnection;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.grpc.GrpcStatus;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A connection to the runtime in the version of the interface that it speaks. The versions differ in their name only, as far as
 * we use them; old runtimes know the older one, new ones the newer, containerd 1.6 and 1.7 both.
 */
final class CriSession implements Closeable {
    private final GrpcConnection connection;
    private final AtomicReference<CriVersion> version;

    private CriSession(GrpcConnection connection, AtomicReference<CriVersion> version) {
        this.connection = connection;
        this.version = version;
    }

    /**
     * Opens a session.
     *
     * @param version the one that answered last; the session changes it when another one does
     * @param limit for the whole session
     */
    static CriSession open(Path socket, AtomicReference<CriVersion> version, Duration limit) throws IOException {
        return new CriSession(GrpcConnection.open(socket, limit), version);
    }

    /** @param method service and method, for example {@code RuntimeService/Version} */
    MessageReader call(String method, MessageWriter request) throws IOException {
        CriVersion first = version.get();
        try {
            return call(first, method, request);
        } catch (GrpcException e) {
            if (e.status() != GrpcStatus.UNIMPLEMENTED) {
                throw e;
            }
            MessageReader response = call(first.other(), method, request);
            version.set(first.other());
            return response;
        }
    }

    private MessageReader call(CriVersion spoken, String method, MessageWriter request) throws IOException {
        return new MessageReader(
                connection.call("/" + spoken.packageName() + "." + method, request.toBytes(), Map.of()));
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
