package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdAlarms.Kind;
import dev.ouroboros.runtime.grpc.GrpcConnection;
import dev.ouroboros.runtime.grpc.GrpcException;
import dev.ouroboros.runtime.protobuf.MessageReader;
import dev.ouroboros.runtime.protobuf.MessageWriter;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * etcd's maintenance service and its members over gRPC (etcd, api/etcdserverpb/rpc.proto). Not its JSON gateway: that one knows HashKV from 3.6 on
 * only, may be switched off, and does not work where the server's certificate is not a client's too.
 */
final class EtcdConnection implements Closeable {
    private static final String SERVICE = "/etcdserverpb.Maintenance/";
    private static final String CLUSTER = "/etcdserverpb.Cluster/";
    private static final String KEY_SPACE = "/etcdserverpb.KV/";
    private static final int ALARMS = 2;
    private static final int ALARM_MEMBER = 1;
    private static final int ALARM_TYPE = 2;
    private static final int NO_SPACE = 1;
    private static final int CORRUPT = 2;
    private static final int DISARM_ACTION = 1;
    private static final int DEACTIVATE = 2;
    private static final int DISARM_MEMBER = 2;
    private static final int DISARM_TYPE = 3;
    private static final int COMPACT_REVISION = 1;
    private static final int COMPACT_PHYSICAL = 2;
    private static final int MEMBER_ADD_PEER_URLS = 1;
    private static final int MEMBER_ADD_IS_LEARNER = 2;
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
     * @param compacted compaction revision of the member, -1 for never
     */
    record KeySpace(long hash, long compacted) {}

    /** @param longest how long the member may take: it reads its whole database */
    KeySpace keySpaceAt(long revision, Duration longest) throws IOException {
        grpc.within(longest);
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

    /** The alarms of all members. An empty request asks for all, and changes nothing. */
    List<Alarm> alarms() throws IOException {
        grpc.within(patience);
        List<Alarm> alarms = new ArrayList<>();
        MessageReader in = new MessageReader(grpc.call(SERVICE + "Alarm", new byte[0], Map.of()));
        while (in.next()) {
            if (in.field() == ALARMS) {
                alarms.add(alarm(in.message()));
            }
        }
        return alarms;
    }

    /** Takes back the alarm for want of space that a member raised. Where there is still none it is raised again. */
    void disarmNoSpace(String member) throws IOException {
        grpc.within(patience);
        byte[] request = new MessageWriter()
                .number(DISARM_ACTION, DEACTIVATE)
                .number(DISARM_MEMBER, Long.parseUnsignedLong(member, 16))
                .number(DISARM_TYPE, NO_SPACE)
                .toBytes();
        grpc.call(SERVICE + "Alarm", request, Map.of());
    }

    /**
     * Writes this member's database anew without what is not in use. Requests that need the database wait meanwhile. When it fails its file is as before; some releases end then (etcd#18810).
     *
     * @param longest how long it may take
     */
    void defragment(Duration longest) throws IOException {
        grpc.within(longest);
        grpc.call(SERVICE + "Defragment", new byte[0], Map.of());
    }

    /**
     * Forgets what was before a revision, which may be forgotten already. It answers when this member's own file has that; others follow in their time.
     *
     * @param longest how long it may take
     */
    void compact(long revision, Duration longest) throws IOException {
        grpc.within(longest);
        byte[] request = new MessageWriter()
                .number(COMPACT_REVISION, revision)
                .number(COMPACT_PHYSICAL, 1)
                .toBytes();
        try {
            grpc.call(KEY_SPACE + "Compact", request, Map.of());
        } catch (GrpcException e) {
            if (!String.valueOf(e.getMessage()).contains("has been compacted")) {
                throw e;
            }
        }
    }

    private static Alarm alarm(MessageReader in) throws IOException {
        long member = 0;
        long type = 0;
        while (in.next()) {
            switch (in.field()) {
                case ALARM_MEMBER -> member = in.number();
                case ALARM_TYPE -> type = in.number();
                default -> {}
            }
        }
        Kind kind = type == NO_SPACE ? Kind.NO_SPACE : type == CORRUPT ? Kind.CORRUPT : Kind.OTHER;
        return new Alarm(kind, Long.toHexString(member));
    }

    /** The members as this one's list has them, which may be behind those of the others: no majority is asked. */
    List<EtcdMember> members() throws IOException {
        grpc.within(patience);
        return EtcdMessages.members(grpc.call(CLUSTER + "MemberList", new byte[0], Map.of()));
    }

    /** What this member says of itself. It answers without the others. */
    EtcdMemberStatus status() throws IOException {
        grpc.within(patience);
        return EtcdMessages.status(grpc.call(SERVICE + "Status", new byte[0], Map.of()));
    }

    /** Has a member added that only follows, before it is started. */
    void addLearner(List<String> peerUrls) throws IOException {
        MessageWriter request = new MessageWriter();
        peerUrls.forEach(url -> request.text(MEMBER_ADD_PEER_URLS, url));
        change("MemberAdd", request.number(MEMBER_ADD_IS_LEARNER, 1));
    }

    /** Gives a learner a vote. It is refused as long as the learner is far behind. */
    void promote(String member) throws IOException {
        change("MemberPromote", ofMember(member));
    }

    void remove(String member) throws IOException {
        change("MemberRemove", ofMember(member));
    }

    private void change(String method, MessageWriter request) throws IOException {
        grpc.within(patience);
        grpc.call(CLUSTER + method, request.toBytes(), Map.of());
    }

    /** Has this member, which leads, give that up to another one. One that does not lead refuses. */
    void moveLeader(String to) throws IOException {
        grpc.within(patience);
        grpc.call(SERVICE + "MoveLeader", ofMember(to).toBytes(), Map.of());
    }

    /** The requests about one member have its ID as their only field. */
    private static MessageWriter ofMember(String id) {
        return new MessageWriter().number(1, Long.parseUnsignedLong(id, 16));
    }

    @Override
    public void close() throws IOException {
        grpc.close();
    }
}
