package dev.ouroboros.doctor;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.seen.Seen;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Everything that was seen of a cluster for its check-up.
 *
 * @param status what {@code ouro status} sees
 * @param cluster what the plan of an upgrade sees through the API
 * @param leases of the kubelets
 * @param databaseBytes size of etcd's database, as an API server's metrics have it
 * @param alarms that etcd has raised
 * @param archives names of the files that the keeper of this node keeps images in
 */
public record ClusterChart(
        Seen status,
        Evidence<ClusterSeen> cluster,
        Evidence<Leases> leases,
        Evidence<Long> databaseBytes,
        Evidence<List<Alarm>> alarms,
        Evidence<Set<String>> archives) {
    /** @param at by this machine's clock */
    public record Leases(Instant at, List<Json> leases) {
        public Leases {
            leases = List.copyOf(leases);
        }
    }
}
