package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.membership.decide.ListedMember;
import dev.ouroboros.etcd.membership.decide.MembersSeen;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The members of an etcd as its procedures see them: one of them is what they are about. */
final class MembershipSource {
    private final EtcdClusterSource source;

    MembershipSource(EtcdServers servers) {
        this.source = new EtcdClusterSource(servers);
    }

    Evidence<EtcdCluster> cluster() {
        return Evidence.asking(() -> source.look());
    }

    /** Whether the data of all members that vote are the same; unknown as long as they cannot be compared. */
    Evidence<Boolean> haveSameData() {
        return Evidence.asking(() -> source.look(EtcdClusterSource.Detail.HASHES))
                .flatMap(cluster -> {
                    var comparable = cluster.comparable();
                    if (EtcdCluster.differ(comparable)) {
                        return Evidence.known(false);
                    }
                    return comparable.size() == cluster.voters().size()
                            ? Evidence.known(true)
                            : Evidence.unknown("only " + comparable.size() + " of "
                                    + cluster.voters().size() + " members can be compared");
                });
    }

    /** A member with these URLs, in any order. */
    static Predicate<EtcdMember> at(List<String> peerUrls) {
        return member -> member.isAt(peerUrls);
    }

    /** Without a leader a list may be of before: what it lacks may be there. */
    static Evidence<MembersSeen> members(EtcdCluster cluster, Predicate<EtcdMember> isOwn) {
        if (cluster.leader().isEmpty()) {
            return Evidence.unknown("it has no leader");
        }
        Optional<ListedMember> own = Optional.empty();
        List<ListedMember> others = new ArrayList<>();
        for (EtcdMember member : cluster.members()) {
            ListedMember listed = listed(cluster, member);
            if (isOwn.test(member)) {
                own = Optional.of(listed);
            } else {
                others.add(listed);
            }
        }
        others.sort(Comparator.comparing(ListedMember::title));
        return Evidence.known(new MembersSeen(own, others));
    }

    /** One that was added and has not run is asked nowhere, and is not current. */
    private static ListedMember listed(EtcdCluster cluster, EtcdMember member) {
        return new ListedMember(
                member.id(),
                member.title(),
                member.isLearner(),
                cluster.leader().filter(member.id()::equals).isPresent(),
                cluster.isCurrent(member));
    }

    /** What stands against a change, as in an alarm. */
    static Evidence<Optional<String>> alarm(EtcdCluster cluster) {
        return cluster.alarms()
                .map(alarms ->
                        alarms.stream().map(Alarm::kind).map(Object::toString).findFirst());
    }

    /** Whether the member says anything. */
    static boolean answers(EtcdCluster cluster, EtcdMember member) {
        return cluster.statusOf(member) instanceof Known<EtcdMemberStatus>;
    }
}
