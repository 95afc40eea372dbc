package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import java.util.Map;
import java.util.Optional;

/**
 * What a change of etcd decides on.
 *
 * @param members of the cluster, as the member that is furthest on tells them
 * @param places what the node has of each temporary member
 * @param manifest of the member that is changed
 * @param pod UID of the pod in which its etcd runs; empty when none does
 * @param healthy whether the kubelet's own question to it is answered well
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
     */
    public record Place(Evidence<Boolean> manifest, Evidence<Boolean> runs, Evidence<Boolean> data) {}

    /**
     * The cluster's members.
     *
     * @param principal the member that is changed
     * @param temporary those that are on its list
     * @param strangers titles of others; empty when there are none
     */
    public record Members(Member principal, Map<TemporaryMember, Member> temporary, String strangers) {
        public Members {
            temporary = Map.copyOf(temporary);
        }

        Optional<Member> of(TemporaryMember member) {
            return Optional.ofNullable(temporary.get(member));
        }

        /** Whether there are three votes, and all that have one follow the leader closely. */
        boolean isWhole() {
            return principal.isCurrent()
                    && temporary.size() == TemporaryMember.values().length
                    && temporary.values().stream().allMatch(member -> member.isCurrent() && !member.isLearner());
        }
    }

    /**
     * One of them.
     *
     * @param id in hexadecimal
     * @param isCurrent whether it answers, follows the leader and has nearly all that was agreed on
     */
    public record Member(String id, boolean isLearner, boolean isLeader, boolean isCurrent) {}
}
