package dev.ouroboros.doctor;

import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.seen.Seen;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Everything that was seen of a cluster for its check-up.
 *
 * @param status what {@code ouro status} sees
 * @param cluster what the plan of an upgrade sees through the API
 * @param leases of the kubelets
 * @param databaseBytes size of etcd's database, as an API server's metrics have it
 * @param etcd as its members tell of it
 * @param controlPlane the object {@code ControlPlane/cluster}; empty inside where there is none
 * @param nodes the one that {@code status} looks at first, and others that can be looked at from here
 */
public record ClusterChart(
        Seen status,
        Evidence<ClusterSeen> cluster,
        Evidence<Leases> leases,
        Evidence<Long> databaseBytes,
        Evidence<EtcdCluster> etcd,
        Evidence<Optional<Json>> controlPlane,
        List<NodeChart> nodes) {
    public ClusterChart {
        nodes = List.copyOf(nodes);
    }

    /** @param at when they were read, by this machine's clock */
    public record Leases(Instant at, List<Json> leases) {
        public Leases {
            leases = List.copyOf(leases);
        }
    }
}
