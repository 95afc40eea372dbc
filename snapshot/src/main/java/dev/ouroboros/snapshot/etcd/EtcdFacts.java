package dev.ouroboros.snapshot.etcd;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What etcd wrote beside the keys.
 *
 * @param clusterVersion of the cluster's API, as in 3.6.0
 * @param storageVersion of the file; from 3.6 on
 * @param consistentIndex the last entry of the log that this file has
 * @param term of that entry; from 3.5 on
 * @param compactedRevision up to it, older values are gone
 * @param scheduledCompaction as compacted, but the removal may not have ended
 * @param members in the order of their ids
 * @param removedMembers ids
 * @param clusterId the id of the cluster, as long as no member was added or removed since it was made: the file does not hold
 *     it, and etcd makes it of the ids of the first members
 * @param alarms etcd's names for what it raised
 * @param authEnabled whether etcd asks clients who they are
 */
public record EtcdFacts(
        Optional<String> clusterVersion,
        Optional<String> storageVersion,
        OptionalLong consistentIndex,
        OptionalLong term,
        OptionalLong compactedRevision,
        OptionalLong scheduledCompaction,
        List<Member> members,
        List<String> removedMembers,
        Optional<String> clusterId,
        List<String> alarms,
        long leases,
        boolean authEnabled) {
    public EtcdFacts {
        members = List.copyOf(members);
        removedMembers = List.copyOf(removedMembers);
        alarms = List.copyOf(alarms);
    }

    /** Nothing is known. */
    static EtcdFacts unknown() {
        return new EtcdFacts(
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of(),
                List.of(),
                Optional.empty(),
                List.of(),
                0,
                false);
    }

    EtcdFacts withCompacted(OptionalLong revision) {
        return new EtcdFacts(
                clusterVersion,
                storageVersion,
                consistentIndex,
                term,
                revision,
                scheduledCompaction,
                members,
                removedMembers,
                clusterId,
                alarms,
                leases,
                authEnabled);
    }

    /** The release line that wrote the file, as far as the file tells. */
    public String writtenBy() {
        return storageVersion
                .map(version -> "etcd " + version.replaceFirst("\\.\\d+$", ""))
                .orElse(term.isPresent() ? "etcd 3.5" : "etcd 3.4 or older");
    }

    /** Below this revision the file does not hold what etcd once held. */
    public long oldestReadable() {
        return Math.max(compactedRevision.orElse(0), scheduledCompaction.orElse(0));
    }
}
