package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.EtcdAlarms;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What speaks against the defragmentation of members, before it is begun. */
final class DefragmentationPreflight {
    private final EtcdCluster cluster;

    DefragmentationPreflight(EtcdCluster cluster) {
        this.cluster = cluster;
    }

    /** Whether a member has raised NOSPACE. */
    boolean isFull() {
        return hasRaised(EtcdAlarms.Kind.NO_SPACE);
    }

    private boolean hasRaised(EtcdAlarms.Kind kind) {
        return cluster.alarms().is(alarms -> alarms.stream().anyMatch(alarm -> alarm.kind() == kind));
    }

    /** @throws ProblemException CHANGE_REFUSED, why */
    void require(List<EtcdMember> asked) {
        if (cluster.alarms() instanceof Unknown<List<Alarm>>(String why)) {
            throw refused(
                    "etcd", "does not say whether an alarm is raised: " + why, "an answer", "see ouro etcd status");
        }
        if (hasRaised(EtcdAlarms.Kind.CORRUPT)) {
            throw refused(
                    "etcd",
                    "has raised CORRUPT: the data of its members differ",
                    "members with the same data",
                    "see ouro etcd status --hash");
        }
        cluster.voters().forEach(this::requireFollows);
        asked.forEach(this::require);
        if (isFull() && !isEveryVoter(asked)) {
            throw refused(
                    "etcd",
                    "has raised NOSPACE, which is taken back when every file is small again",
                    "every member that votes",
                    "name none");
        }
    }

    private boolean isEveryVoter(List<EtcdMember> asked) {
        Set<EtcdMember> left = new HashSet<>(cluster.voters());
        asked.forEach(left::remove);
        return left.isEmpty();
    }

    /** One that is defragmented may be lost by that: the others have to be enough. */
    private void requireFollows(EtcdMember voter) {
        if (!cluster.isCurrent(voter)) {
            throw refused(
                    "member " + voter.title(),
                    "does not follow the leader, and of a member that is defragmented requests wait meanwhile: the others may be too few",
                    "members that all follow the leader",
                    "see ouro etcd status");
        }
    }

    private void require(EtcdMember member) {
        if (member.isLearner()) {
            throw refused(
                    "member " + member.title(),
                    "is a learner, which does not do this",
                    "a member that votes",
                    "wait until it votes");
        }
        if (cluster.statusOf(member) instanceof Known<EtcdMemberStatus>(EtcdMemberStatus status)) {
            Optional<KubernetesVersion> version = KubernetesVersion.parse(status.version());
            version.flatMap(new EtcdTools()::oldestDefragmented)
                    .filter(oldest -> version.get().compareTo(oldest.etcd()) < 0)
                    .ifPresent(oldest -> {
                        throw refused(
                                "member " + member.title(),
                                "is of " + status.version()
                                        + ": should it end in the middle, its revisions may differ from the others' from then on ("
                                        + oldest.source() + ")",
                                oldest.etcd() + " or later",
                                "ouro etcd change to the latest release of its minor version first");
                    });
        }
    }

    private static ProblemException refused(String where, String what, String expected, String next) {
        return ProblemException.of(ErrorCode.CHANGE_REFUSED, where, what, expected, next);
    }
}
