package dev.ouroboros.steward;

import dev.ouroboros.steward.decide.EtcdWish;
import java.util.List;
import java.util.Optional;

/** Jobs on etcd's members that take minutes. Each goes on where it was when it is begun again. */
sealed interface EtcdJob {
    /** On a node with a member: adds a member on another node. */
    record Add(String node) implements EtcdJob {}

    /** Has API servers look for etcd at its members, without those that are named. */
    record TellApiServers(List<String> without) implements EtcdJob {
        public TellApiServers {
            without = List.copyOf(without);
        }
    }

    /**
     * Removes a lost member from etcd's list.
     *
     * @param member its ID
     */
    record Remove(String member) implements EtcdJob {}

    /**
     * Gives this node's member another manifest.
     *
     * @param wish what it is to have; empty to end a change that has begun, whose manifest is known
     */
    record Change(Optional<EtcdWish> wish) implements EtcdJob {}

    /** Defragments this node's member. */
    record Defragment() implements EtcdJob {}

    /** Joins a new member on this node. */
    record Join() implements EtcdJob {}

    /** Has this node's member leave. */
    record Leave() implements EtcdJob {}

    /**
     * Removes the data and manifest of this node's former member, which was removed from etcd's list while it was away.
     *
     * @param others client URLs of other members, which that member did not know
     */
    record Clear(List<String> others) implements EtcdJob {
        public Clear {
            others = List.copyOf(others);
        }
    }
}
