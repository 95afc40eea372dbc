package dev.ouroboros.etcd;

import java.util.List;
import java.util.Optional;

/**
 * What a member says of itself.
 *
 * @param clusterId in hexadecimal
 * @param memberId in hexadecimal
 * @param version as in {@code 3.4.23}
 * @param leader ID of the member that it follows, in hexadecimal; empty when it knows of none
 * @param term of the leader's election
 * @param committed index of the last entry that it knows to be agreed on
 * @param applied index of the last entry that is in its key space
 * @param revision of its key space
 * @param databaseBytes size of its file
 * @param usedBytes what of the file is in use
 * @param errors in its words, as an alarm
 */
public record EtcdMemberStatus(
        String clusterId,
        String memberId,
        String version,
        Optional<String> leader,
        long term,
        long committed,
        long applied,
        long revision,
        long databaseBytes,
        long usedBytes,
        List<String> errors) {
    public EtcdMemberStatus {
        errors = List.copyOf(errors);
    }

    public boolean isLeader() {
        return leader.filter(memberId::equals).isPresent();
    }
}
