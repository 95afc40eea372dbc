package dev.ouroboros.doctor;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdCluster.Hash;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.WalSyncs;
import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether etcd has a leader, and how its members are. */
public final class EtcdMemberExam {
    private static final String CHECK = Ailment.ETCD_MEMBER_DOES_NOT_ANSWER.check();
    private static final long LAGS = 1000;
    /** As in etcd's own alerts, over the last minutes (etcd, contrib/mixin: etcdHighFsyncDurations). */
    private static final Duration SLOW_SYNC = Duration.ofMillis(500);

    private static final long ENOUGH_SYNCS = 1000;
    private static final long MEBIBYTE = 1L << 20;

    private EtcdMemberExam() {}

    /** All findings about an etcd: its members, its alarms, and hashes if they were asked for. */
    public static List<Finding> ofAll(EtcdCluster etcd) {
        List<Finding> findings = new ArrayList<>(members(etcd));
        EtcdExam.alarms(etcd.alarms()).forEach(findings::add);
        if (!etcd.hashes().isEmpty()) {
            findings.addAll(hashes(etcd));
        }
        return List.copyOf(findings);
    }

    static List<Finding> of(Evidence<EtcdCluster> etcd) {
        return switch (etcd) {
            case Unknown<EtcdCluster>(String why) -> List.of(Finding.unknown(CHECK, why));
            case Known<EtcdCluster>(EtcdCluster known) ->
                Stream.concat(members(known).stream(), disks(known)).toList();
        };
    }

    /**
     * Slow disks. The figure counts from a member's start, so that one slow time stays in it for long: a command that shows it alone shows the
     * figure.
     */
    private static Stream<Finding> disks(EtcdCluster etcd) {
        return etcd.members().stream()
                .flatMap(member ->
                        Optional.ofNullable(etcd.walSyncs().get(member.id()))
                                .flatMap(syncs -> disk(member, syncs))
                                .stream());
    }

    private static List<Finding> members(EtcdCluster etcd) {
        List<Finding> findings = new ArrayList<>();
        if (etcd.leader().isEmpty()) {
            findings.add(Ailment.ETCD_HAS_NO_LEADER.seen(strength(etcd)));
        }
        for (EtcdMember member : etcd.members()) {
            switch (etcd.statusOf(member)) {
                case Unknown<EtcdMemberStatus>(String why) ->
                    findings.add(Ailment.ETCD_MEMBER_DOES_NOT_ANSWER.seen(
                            member.title() + ": " + why + " (" + strength(etcd) + ")"));
                case Known<EtcdMemberStatus>(EtcdMemberStatus status) -> judge(etcd, member, status, findings);
            }
        }
        int voters = etcd.voters().size();
        if (voters % 2 == 0) {
            findings.add(Ailment.ETCD_VOTERS_ARE_EVEN.seen(voters + " members vote"));
        }
        return findings.isEmpty() ? List.of(Finding.ok(CHECK, strength(etcd))) : List.copyOf(findings);
    }

    private static Optional<Finding> disk(EtcdMember member, Evidence<WalSyncs> syncs) {
        return switch (syncs) {
            case Unknown<WalSyncs>(String why) ->
                Optional.of(Finding.unknown(Ailment.ETCD_DISK_IS_SLOW.check(), member.title() + ": " + why));
            case Known<WalSyncs>(WalSyncs known) ->
                known.count() >= ENOUGH_SYNCS && known.p99().compareTo(SLOW_SYNC) >= 0
                        ? Optional.of(Ailment.ETCD_DISK_IS_SLOW.seen(member.title() + ": 99 % of " + known.count()
                                + " syncs of its write-ahead log took up to "
                                + known.p99().toMillis() + " ms"))
                        : Optional.empty();
        };
    }

    private static void judge(EtcdCluster etcd, EtcdMember member, EtcdMemberStatus status, List<Finding> findings) {
        if (etcd.leader().isPresent() && !etcd.follows(status)) {
            findings.add(Ailment.ETCD_MEMBER_IS_CUT_OFF.seen(member.title() + " follows "
                    + status.leader().map(leader -> "member " + leader).orElse("no leader") + " (" + strength(etcd)
                    + ")"));
        }
        long behind = etcd.behind(status);
        if (behind >= LAGS) {
            findings.add(Ailment.ETCD_MEMBER_LAGS.seen(member.title() + " is " + behind + " entries behind"));
        }
        if (status.isFragmented()) {
            findings.add(Ailment.ETCD_IS_FRAGMENTED.seen(member.title() + ": " + status.usedBytes() / MEBIBYTE
                    + " MiB in use of " + status.databaseBytes() / MEBIBYTE + " MiB"));
        }
    }

    /** As in {@code 3 of 3 members that vote follow the leader, 1 may be lost}. */
    private static String strength(EtcdCluster etcd) {
        int voters = etcd.voters().size();
        if (etcd.leader().isEmpty()) {
            return etcd.answering().size() + " of " + voters + " members that vote answer";
        }
        int spare = etcd.following().size() - etcd.majority();
        return etcd.following().size() + " of " + voters + " members that vote follow the leader, "
                + (spare < 0 ? beyond(etcd, -spare) : (spare == 0 ? "none" : spare) + " may be lost");
    }

    /** What is known of members that are not seen from here. They may see each other: where etcd acknowledges by a majority, that proves one. */
    private static String beyond(EtcdCluster etcd, int missing) {
        return etcd.alarms() instanceof Known<List<Alarm>>
                ? "and others that do not answer from here"
                : missing + " too few as far as is seen from here";
    }

    private static List<Finding> hashes(EtcdCluster etcd) {
        String check = Ailment.ETCD_DATA_DIFFERS.check();
        NavigableMap<String, Hash> comparable = etcd.comparable();
        if (EtcdCluster.differ(comparable)) {
            return List.of(Ailment.ETCD_DATA_DIFFERS.seen(comparable.entrySet().stream()
                    .map(each ->
                            each.getKey() + " has the hash " + each.getValue().value())
                    .collect(Collectors.joining(
                            ", ",
                            "at revision " + comparable.firstEntry().getValue().revision() + " ",
                            ""))));
        }
        List<Finding> findings = new ArrayList<>();
        for (EtcdMember member : etcd.members()) {
            if (etcd.hashes().get(member.id()) instanceof Unknown<Hash>(String why)) {
                findings.add(Finding.unknown(check, member.title() + ": " + why));
            }
        }
        findings.add(
                comparable.size() == etcd.voters().size()
                        ? Finding.ok(check, "the hashes of " + comparable.size() + " members that vote are the same")
                        : Finding.unknown(
                                check,
                                "only " + comparable.size() + " of "
                                        + etcd.voters().size()
                                        + " members that vote could be compared, of one version, revision and compaction"));
        return findings;
    }
}
