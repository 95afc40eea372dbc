package dev.ouroboros.cli.etcd;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.ouroboros.cli.cluster.TargetHints;
import dev.ouroboros.cli.console.TextTable;
import dev.ouroboros.cli.doctor.FindingsView;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.WalSyncs;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** An etcd for people and for programs. */
final class EtcdView {
    private static final double MEBIBYTE = 1 << 20;
    private static final double MILLISECOND = 1e6;
    private static final double SECOND = 1e9;

    private EtcdView() {}

    /** A member's part in the cluster. */
    private enum Role {
        LEADER,
        VOTER,
        LEARNER;

        static Role of(EtcdCluster etcd, EtcdMember member) {
            if (member.isLearner()) {
                return LEARNER;
            }
            return etcd.leader().filter(member.id()::equals).isPresent() ? LEADER : VOTER;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static String text(EtcdCluster etcd, List<Finding> findings, TargetHints hints) {
        TextTable table = new TextTable(
                "MEMBER", "ID", "ROLE", "VERSION", "REVISION", "BEHIND", "IN USE", "FILE", "FSYNC P99", "PEERS");
        for (EtcdMember member : etcd.members()) {
            String title = member.name().isEmpty() ? "-" : member.name();
            String role = Role.of(etcd, member).word();
            String peers = String.join(", ", member.peerUrls());
            switch (etcd.statusOf(member)) {
                case Unknown<EtcdMemberStatus> _ ->
                    table.row(title, member.id(), role, "?", "?", "?", "?", "?", "?", peers);
                case Known<EtcdMemberStatus>(EtcdMemberStatus status) ->
                    table.row(
                            title,
                            member.id(),
                            role,
                            status.version(),
                            Long.toString(status.revision()),
                            Long.toString(etcd.behind(status)),
                            mebibytes(status.usedBytes()),
                            mebibytes(status.databaseBytes()),
                            syncs(etcd, member)
                                    .map(syncs -> milliseconds(syncs.p99()))
                                    .orElse("?"),
                            peers);
            }
        }
        return table + "\n" + FindingsView.text(findings, hints);
    }

    private static Optional<WalSyncs> syncs(EtcdCluster etcd, EtcdMember member) {
        return etcd.walSyncs().get(member.id()) instanceof Known<WalSyncs>(WalSyncs known)
                ? Optional.of(known)
                : Optional.empty();
    }

    private static String milliseconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / MILLISECOND);
    }

    /** How many members vote, and what is wrong with an even number of them. */
    static String votes(int votes) {
        return votes == 1
                ? "1 member votes\n"
                : votes + " members vote"
                        + (votes % 2 == 0
                                ? ", of which no more may be lost than of " + (votes - 1) + ": add another one"
                                : "")
                        + "\n";
    }

    static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / MEBIBYTE);
    }

    static ObjectNode data(EtcdCluster etcd, List<Finding> findings, TargetHints hints) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        etcd.leader().ifPresent(leader -> data.put("leader", leader));
        ArrayNode members = data.putArray("members");
        etcd.members().forEach(member -> put(members.addObject(), etcd, member));
        ArrayNode all = data.putArray("findings");
        findings.forEach(finding -> FindingsView.put(all.addObject(), finding, hints));
        return data;
    }

    private static void put(ObjectNode node, EtcdCluster etcd, EtcdMember member) {
        node.put("name", member.name())
                .put("id", member.id())
                .put("role", Role.of(etcd, member).word());
        ArrayNode peers = node.putArray("peerURLs");
        member.peerUrls().forEach(peers::add);
        ArrayNode clients = node.putArray("clientURLs");
        member.clientUrls().forEach(clients::add);
        switch (etcd.statusOf(member)) {
            case Unknown<EtcdMemberStatus>(String why) -> node.put("unknown", why);
            case Known<EtcdMemberStatus>(EtcdMemberStatus status) -> {
                node.put("clusterId", status.clusterId())
                        .put("version", status.version())
                        .put("term", status.term())
                        .put("revision", status.revision())
                        .put("committed", status.committed())
                        .put("applied", status.applied())
                        .put("behind", etcd.behind(status))
                        .put("databaseBytes", status.databaseBytes())
                        .put("usedBytes", status.usedBytes());
                ArrayNode errors = node.putArray("errors");
                status.errors().forEach(errors::add);
            }
        }
        syncs(etcd, member)
                .ifPresent(syncs -> node.putObject("walFsync")
                        .put("count", syncs.count())
                        .put("p99Seconds", syncs.p99().toNanos() / SECOND));
        Evidence<Hash> hash = etcd.hashes().get(member.id());
        if (hash instanceof Known<Hash>(Hash known)) {
            node.putObject("hash")
                    .put("revision", known.revision())
                    .put("compactedRevision", known.compacted())
                    .put("value", known.value());
        }
    }
}
