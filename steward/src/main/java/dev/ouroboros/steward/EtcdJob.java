package dev.ouroboros.steward;

import java.util.List;

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

    /** This node gets a member. */
    record Join() implements EtcdJob {}

    /**
     * This node's member leaves; of one that is none any more, what it left here is cleared away.
     *
     * @param others client URLs of other members, for one that is none any more; empty for those that it knows
     */
    record Leave(List<String> others) implements EtcdJob {
        public Leave {
            others = List.copyOf(others);
        }
    }
}
