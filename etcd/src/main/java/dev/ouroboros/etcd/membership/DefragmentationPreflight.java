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
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

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
        refusal(asked).ifPresent(problem -> {
            throw new ProblemException(problem);
        });
    }

    /** What speaks against it first; empty when nothing does. */
    Optional<Problem> refusal(List<EtcdMember> asked) {
        return ofAlarms()
                .or(() -> first(cluster.voters(), this::notFollowing))
                .or(() -> first(asked, this::unfit))
                .or(() -> tooFew(asked));
    }

    private static Optional<Problem> first(List<EtcdMember> members, Function<EtcdMember, Optional<Problem>> question) {
        return members.stream()
                .flatMap(member -> question.apply(member).stream())
                .findFirst();
    }

    private Optional<Problem> ofAlarms() {
        if (cluster.alarms() instanceof Unknown<List<Alarm>>(String why)) {
            return refused(
                    "etcd", "does not say whether an alarm is raised: " + why, "an answer", "see ouro etcd status");
        }
        return hasRaised(EtcdAlarms.Kind.CORRUPT)
                ? refused(
                        "etcd",
                        "has raised CORRUPT: the data of its members differ",
                        "members with the same data",
                        "see ouro etcd status --hash")
                : Optional.empty();
    }

    private Optional<Problem> tooFew(List<EtcdMember> asked) {
        Set<EtcdMember> left = new HashSet<>(cluster.voters());
        asked.forEach(left::remove);
        return isFull() && !left.isEmpty()
                ? refused(
                        "etcd",
                        "has raised NOSPACE, which is taken back when every file is small again",
                        "every member that votes",
                        "name none")
                : Optional.empty();
    }

    /** One that is defragmented may be lost by that: the others have to be enough. */
    private Optional<Problem> notFollowing(EtcdMember voter) {
        return cluster.isCurrent(voter)
                ? Optional.empty()
                : refused(
                        "member " + voter.title(),
                        "does not follow the leader, and of a member that is defragmented requests wait meanwhile: the others may be too few",
                        "members that all follow the leader",
                        "see ouro etcd status");
    }

    private Optional<Problem> unfit(EtcdMember member) {
        if (member.isLearner()) {
            return refused(
                    "member " + member.title(),
                    "is a learner, which does not do this",
                    "a member that votes",
                    "wait until it votes");
        }
        return cluster.statusOf(member) instanceof Known<EtcdMemberStatus>(EtcdMemberStatus status)
                ? KubernetesVersion.parse(status.version()).flatMap(version -> tooOld(member, status, version))
                : Optional.empty();
    }

    private static Optional<Problem> tooOld(EtcdMember member, EtcdMemberStatus status, KubernetesVersion version) {
        return new EtcdTools()
                .oldestDefragmented(version)
                .filter(oldest -> version.compareTo(oldest.etcd()) < 0)
                .flatMap(oldest -> refused(
                        "member " + member.title(),
                        "is of " + status.version()
                                + ": should it end in the middle, its revisions may differ from the others' from then on ("
                                + oldest.source() + ")",
                        oldest.etcd() + " or later",
                        "ouro etcd change to the latest release of its minor version first"));
    }

    private static Optional<Problem> refused(String where, String what, String expected, String next) {
        return Optional.of(new Problem(ErrorCode.CHANGE_REFUSED, where, what, expected, next));
    }
}
