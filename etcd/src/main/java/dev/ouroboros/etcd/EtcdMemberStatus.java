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
    private static final long FRAGMENTED_BYTES = 100L << 20;
    private static final int FRAGMENTED_PERCENT = 45;

    public EtcdMemberStatus {
        errors = List.copyOf(errors);
    }

    public boolean isLeader() {
        return leader.filter(memberId::equals).isPresent();
    }

    /**
     * Whether so much of its file is not in use that it is worth to write it anew: OpenShift's rule, 45 % of a file of 100 MiB or more (cluster-etcd-operator,
     * pkg/operator/defragcontroller).
     */
    public boolean isFragmented() {
        return databaseBytes >= FRAGMENTED_BYTES
                && (databaseBytes - usedBytes) * 100 >= databaseBytes * FRAGMENTED_PERCENT;
    }
}
