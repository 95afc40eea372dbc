package dev.ouroboros.steward;

import dev.ouroboros.steward.decide.EtcdWish;
import java.util.List;
import java.util.Optional;

/** What is done with etcd's members that takes minutes. Each goes on where it was when it is begun again. */
sealed interface EtcdJob {
    /** On the node of a member: another node gets one. */
    record Add(String node) implements EtcdJob {}

    /** API servers look for etcd at its members, but for those that are named. */
    record TellApiServers(List<String> without) implements EtcdJob {
        public TellApiServers {
            without = List.copyOf(without);
        }
    }

    /**
     * A member that is lost is taken off the list.
     *
     * @param member its ID
     */
    record Remove(String member) implements EtcdJob {}

    /**
     * This node's member gets another manifest.
     *
     * @param wish what it is to have; empty for the manifest that a change is to that has begun and not ended
     */
    record Change(Optional<EtcdWish> wish) implements EtcdJob {}

    /** This node's member writes its file anew. */
    record Defragment() implements EtcdJob {}

    /** This node gets a member. */
    record Join() implements EtcdJob {}

    /** This node's member leaves. */
    record Leave() implements EtcdJob {}

    /**
     * What this node's member left is cleared away: it was taken off the list while it was away.
     *
     * @param others client URLs of other members, as it does not know them
     */
    record Clear(List<String> others) implements EtcdJob {
        public Clear {
            others = List.copyOf(others);
        }
    }
}
