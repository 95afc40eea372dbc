package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.runtime.grpc.GrpcConnection;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/**
 * etcd's maintenance service over gRPC (etcd, api/etcdserverpb/rpc.proto). Not its JSON gateway: that one knows HashKV from 3.6 on
 * only, may be switched off, and does not work where the server's certificate is not a client's too.
 */
final class EtcdConnection implements Closeable {
    private static final String SERVICE = "/etcdserverpb.Maintenance/";
    private static final int HASH_KV_REVISION = 1;
    private static final int HASH_KV_HASH = 2;
    private static final int HASH_KV_COMPACTED = 3;

    private final GrpcConnection grpc;
    private final Duration patience;

    private EtcdConnection(GrpcConnection grpc, Duration patience) {
        this.grpc = grpc;
        this.patience = patience;
    }

    /** @param patience how long the server may be silent, here and later */
    static EtcdConnection open(Endpoint server, Duration patience) throws IOException {
        TlsChannel channel = TlsChannel.connect(server, patience);
        try {
            return new EtcdConnection(GrpcConnection.overTls(channel, server.authority(), patience), patience);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** A snapshot of the member, as it comes: the database and the SHA-256 of it. Memory holds a message at a time. */
    SnapshotStream snapshot() throws IOException {
        grpc.within(patience);
        return SnapshotStream.begin(grpc, grpc.start(SERVICE + "Snapshot", Map.of()), patience);
    }

    /**
     * The hash of the member's key space.
     *
     * @param compacted of the member, -1 for never
     */
    record KeySpace(long hash, long compacted) {}

    KeySpace keySpaceAt(long revision) throws IOException {
        grpc.within(patience);
        byte[] request = new MessageWriter().number(HASH_KV_REVISION, revision).toBytes();
        MessageReader in = new MessageReader(grpc.call(SERVICE + "HashKV", request, Map.of()));
        long hash = 0;
        long compacted = 0;
        while (in.next()) {
            switch (in.field()) {
                case HASH_KV_HASH -> hash = in.number();
                case HASH_KV_COMPACTED -> compacted = in.number();
                default -> {}
            }
        }
        return new KeySpace(hash, compacted);
    }

    @Override
    public void close() throws IOException {
        grpc.close();
    }
}
