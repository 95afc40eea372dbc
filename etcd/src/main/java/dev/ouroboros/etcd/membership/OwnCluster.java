package dev.ouroboros.etcd.membership;

import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import java.util.List;

/** The etcd that a node with a manifest of a member belongs to, or did. */
final class OwnCluster {
    private OwnCluster() {}

    /**
     * As this node's member tells it, or else as the others do: one that they have removed ends whenever it is started. One that runs and is not where its manifest says must not be taken for
     * one that was removed.
     *
     * @param named client URLs of others; empty for those that the manifest names
     * @throws ProblemException ETCD_UNAVAILABLE when nobody answers
     */
    static EtcdCluster ask(EtcdMemberPod present, List<String> named) {
        try {
            EtcdCluster told =
                    new EtcdClusterSource(EtcdServers.ofMember(List.of(present.clientUrl()), present)).look();
            told.requireMemberAt(present.peerUrls());
            return told;
        } catch (ProblemException e) {
            if (e.problems().getFirst().code() != ErrorCode.ETCD_UNAVAILABLE) {
                throw e;
            }
            List<String> others = named.isEmpty() ? present.otherClientUrls() : named;
            if (others.isEmpty()) {
                throw ProblemException.of(
                        ErrorCode.ETCD_UNAVAILABLE,
                        present.clientUrl(),
                        "does not answer, and its manifest names no other member",
                        "a member that says whether this one is on the list",
                        "name one with --etcd-servers");
            }
            return new EtcdClusterSource(EtcdServers.ofMember(others, present)).look();
        }
    }
}
