package dev.ouroboros.etcd.decide;

/**
 * The members that an etcd of one member has besides while that one is changed: with three votes any one of them may be away. They are static pods of the same node, with
 * ports of their own below those that Linux gives to connections and those of Services (net.ipv4.ip_local_port_range, --service-node-port-range).
 */
public enum TemporaryMember {
    /** Serves clients, behind the second door that API servers know. */
    SECOND_DOOR("second-door", 20_000, 15_000),
    /** Only votes. */
    THIRD_VOTE("third-vote", 10_000, 10_000);

    private final String id;
    private final int offset;
    private final int hidden;

    TemporaryMember(String id, int offset, int hidden) {
        this.id = id;
        this.offset = offset;
        this.hidden = hidden;
    }

    /** As in second-door: what is added to the names of the member, its pod and its data. */
    public String id() {
        return id;
    }

    /** Where it listens, where the member that is changed listens at a port. */
    public int port(int principal) {
        return principal + offset;
    }

    /** Where it has its client port as long as no client may come: a learner refuses what an API server asks. */
    public int hiddenPort(int principal) {
        return principal + hidden;
    }
}
