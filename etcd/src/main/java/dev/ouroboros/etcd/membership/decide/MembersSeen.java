package dev.ouroboros.etcd.membership.decide;

import java.util.List;
import java.util.Optional;

/**
 * The members of an etcd that has a leader, from the view of one of them, or of one that is to be.
 *
 * @param own the member that it is about; empty when the list has none at its address
 * @param others all others, in the order of their titles
 */
public record MembersSeen(Optional<ListedMember> own, List<ListedMember> others) {
    public MembersSeen {
        others = List.copyOf(others);
    }

    /** Whether one of the others is a learner: etcd takes one at a time, and somebody is adding it. */
    Optional<ListedMember> otherLearner() {
        return others.stream().filter(ListedMember::isLearner).findFirst();
    }

    /** An other one that does not follow the leader. */
    Optional<ListedMember> otherThatLags() {
        return others.stream().filter(member -> !member.isCurrent()).findFirst();
    }

    /** An other one with a vote that does not follow the leader. */
    Optional<ListedMember> otherVoterThatLags() {
        return others.stream()
                .filter(member -> !member.isLearner() && !member.isCurrent())
                .findFirst();
    }

    /** How many have a vote. */
    int votes() {
        return (int) (others.stream().filter(member -> !member.isLearner()).count()
                + own.filter(member -> !member.isLearner()).stream().count());
    }
}
