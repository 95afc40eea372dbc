package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a change of etcd decides on.
 *
 * @param members of the cluster, as the member that is furthest on tells them
 * @param places what the node has of each temporary member
 * @param manifest of the member that is changed
 * @param pod UID of the pod in which its etcd runs; empty when none does
 * @param healthy whether it says that it serves ({@link EtcdPod#health})
 * @param doors asked only where the phase waits for it
 * @param refusal why the last action came to nothing
 */
public record EtcdChangeSeen(
        Evidence<Members> members,
        Map<TemporaryMember, Place> places,
        Evidence<Written> manifest,
        Evidence<Optional<String>> pod,
        Evidence<Boolean> healthy,
        Evidence<Doors> doors,
        Optional<Problem> refusal) {

    public EtcdChangeSeen {
        places = Map.copyOf(places);
    }

    /** What is in the file that the kubelet has of the member. */
    public enum Written {
        FORMER,
        TARGET,
        /** Somebody else's text, or none. */
        OTHER
    }

    /**
     * What the node has of a temporary member.
     *
     * @param runs whether a container of it may run
     * @param open whether the manifest has the port that clients know
     */
    public record Place(
            Evidence<Boolean> manifest, Evidence<Boolean> runs, Evidence<Boolean> data, Evidence<Boolean> open) {}

    /**
     * The cluster's members.
     *
     * @param principal the member that is changed
     * @param temporary those that are on its list
     * @param others on its list, by what people call them
     */
    public record Members(Member principal, Map<TemporaryMember, Member> temporary, SortedMap<String, Member> others) {
        public Members {
            temporary = Map.copyOf(temporary);
            others = Collections.unmodifiableSortedMap(new TreeMap<>(others));
        }

        Optional<Member> of(TemporaryMember member) {
            return Optional.ofNullable(temporary.get(member));
        }

        /** Whether there are three votes, and all that have one follow the leader closely. */
        boolean isWhole() {
            return hasThreeVotes()
                    && principal.isCurrent()
                    && temporary.values().stream().allMatch(Member::isCurrent);
        }

        /** Whether there are enough others for a majority without the one that is changed, and all follow the leader closely. */
        boolean areEnough() {
            return others.size() >= 2
                    && principal.isCurrent()
                    && others.values().stream().allMatch(member -> member.isCurrent() && !member.isLearner());
        }

        boolean hasThreeVotes() {
            return temporary.size() == TemporaryMember.values().length
                    && temporary.values().stream().noneMatch(Member::isLearner);
        }

        boolean isOpen() {
            return of(TemporaryMember.SECOND_DOOR).filter(Member::isOpen).isPresent();
        }
    }

    /**
     * One of them.
     *
     * @param id in hexadecimal
     * @param isCurrent whether it answers, follows the leader and has nearly all that was agreed on
     * @param isOpen whether it says that clients reach it where API servers look for it
     */
    public record Member(String id, boolean isLearner, boolean isLeader, boolean isCurrent, boolean isOpen) {}
}
