package dev.ouroboros.etcd.decide;

/** What a change of an etcd of one member does; each may be done again. */
public sealed interface EtcdChangeAction {
    /** Adds the member as a learner, after what is left of an earlier one's data was removed. */
    record Add(TemporaryMember member) implements EtcdChangeAction {}

    /** Writes the manifest of a member that was added, with a client port that no API server knows. */
    record Start(TemporaryMember member) implements EtcdChangeAction {}

    /** Writes the manifest of {@link TemporaryMember#SECOND_DOOR} with the port that API servers know. */
    record Open() implements EtcdChangeAction {}

    /** @param id of the member, in hexadecimal, here and below */
    record Promote(TemporaryMember member, String id) implements EtcdChangeAction {}

    record MoveLeader(String id) implements EtcdChangeAction {}

    /** Writes the new manifest of the member that is changed. */
    record WriteTarget() implements EtcdChangeAction {}

    /** Writes its manifest of before. */
    record WriteFormer() implements EtcdChangeAction {}

    record Remove(TemporaryMember member, String id) implements EtcdChangeAction {}

    /** Removes the manifest of a member that was removed, or is not needed for a majority. */
    record Stop(TemporaryMember member) implements EtcdChangeAction {}

    /** Removes the data of one that has ended. */
    record Discard(TemporaryMember member) implements EtcdChangeAction {}
}
