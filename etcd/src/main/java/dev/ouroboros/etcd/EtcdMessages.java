package dev.ouroboros.etcd;

import dev.ouroboros.runtime.protobuf.MessageReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads etcd's messages about members (etcd, api/etcdserverpb/rpc.proto). A field that is left out has its type's zero. */
final class EtcdMessages {
    private static final int HEADER = 1;

    private EtcdMessages() {}

    /** Of a {@code MemberListResponse}. */
    static List<EtcdMember> members(byte[] response) throws IOException {
        List<EtcdMember> members = new ArrayList<>();
        MessageReader in = new MessageReader(response);
        while (in.next()) {
            if (in.field() == 2) {
                members.add(member(in.message()));
            }
        }
        return List.copyOf(members);
    }

    private static EtcdMember member(MessageReader in) throws IOException {
        long id = 0;
        String name = "";
        List<String> peers = new ArrayList<>();
        List<String> clients = new ArrayList<>();
        boolean isLearner = false;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> id = in.number();
                case 2 -> name = in.text();
                case 3 -> peers.add(in.text());
                case 4 -> clients.add(in.text());
                case 5 -> isLearner = in.number() != 0;
                default -> {}
            }
        }
        return new EtcdMember(Long.toHexString(id), name, peers, clients, isLearner);
    }

    /**
     * Of a {@code ResponseHeader}.
     *
     * @param revision of the key space when it was made
     */
    private record Header(long cluster, long member, long revision) {
        static final Header NONE = new Header(0, 0, 0);

        static Header of(MessageReader in) throws IOException {
            long cluster = 0;
            long member = 0;
            long revision = 0;
            while (in.next()) {
                switch (in.field()) {
                    case 1 -> cluster = in.number();
                    case 2 -> member = in.number();
                    case 3 -> revision = in.number();
                    default -> {}
                }
            }
            return new Header(cluster, member, revision);
        }
    }

    /** Of a {@code StatusResponse}, whose {@code raftIndex} is what the member knows to be agreed on (etcd, server/etcdserver/api/v3rpc/maintenance.go). */
    static EtcdMemberStatus status(byte[] response) throws IOException {
        Header header = Header.NONE;
        String version = "";
        long databaseBytes = 0;
        long usedBytes = 0;
        long leader = 0;
        long committed = 0;
        long term = 0;
        long applied = 0;
        List<String> errors = new ArrayList<>();
        MessageReader in = new MessageReader(response);
        while (in.next()) {
            switch (in.field()) {
                case HEADER -> header = Header.of(in.message());
                case 2 -> version = in.text();
                case 3 -> databaseBytes = in.number();
                case 4 -> leader = in.number();
                case 5 -> committed = in.number();
                case 6 -> term = in.number();
                case 7 -> applied = in.number();
                case 8 -> errors.add(in.text());
                case 9 -> usedBytes = in.number();
                default -> {}
            }
        }
        return new EtcdMemberStatus(
                Long.toHexString(header.cluster()),
                Long.toHexString(header.member()),
                version,
                leader == 0 ? Optional.empty() : Optional.of(Long.toHexString(leader)),
                term,
                committed,
                applied,
                header.revision(),
                databaseBytes,
                usedBytes,
                errors);
    }
}
