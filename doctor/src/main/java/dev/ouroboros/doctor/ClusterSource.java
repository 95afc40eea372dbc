package dev.ouroboros.doctor;

import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.doctor.ClusterChart.Leases;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdAlarms;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.status.seen.Seen;
import dev.ouroboros.status.source.NodePlace;
import dev.ouroboros.status.source.StatusSource;
import dev.ouroboros.upgrade.plan.CheckUpSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Asks a cluster's API and looks at its node. Changes nothing. */
public final class ClusterSource {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    private static final String ARCHIVES = StateLayout.path(StateLayout.KEEPER) + "/images";

    /**
     * One gauge under the names that it has had (kubernetes, staging/src/k8s.io/apiserver/pkg/storage/etcd3/metrics): a line for each
     * etcd that is asked.
     */
    private static final Pattern DATABASE_SIZE = Pattern.compile(
            "(?m)^(?:etcd_db_total_size_in_bytes|apiserver_storage_db_total_size_in_bytes|apiserver_storage_size_bytes)"
                    + "\\{[^}]*\\} ([0-9.eE+]+)$");

    private final Evidence<Endpoint> endpoint;
    private final Evidence<NodePlace> node;
    private final Evidence<EtcdServers> etcd;
    private final Disk disk;
    private final InstantSource clock;

    /**
     * @param endpoint unknown when there is no kubeconfig, or one that cannot be used
     * @param node unknown when there is no node to look at
     * @param etcd unknown when there are no keys to it
     */
    public ClusterSource(
            Evidence<Endpoint> endpoint,
            Evidence<NodePlace> node,
            Evidence<EtcdServers> etcd,
            Disk disk,
            InstantSource clock) {
        this.endpoint = endpoint;
        this.node = node;
        this.etcd = etcd;
        this.disk = disk;
        this.clock = clock;
    }

    public ClusterChart look() {
        Seen status;
        try (StatusSource source = new StatusSource(endpoint, node, disk, clock, StatusSource.REQUEST_TIMEOUT)) {
            status = source.look();
        }
        return switch (endpoint) {
            case Unknown<Endpoint>(String why) ->
                new ClusterChart(
                        status,
                        Evidence.unknown(why),
                        Evidence.unknown(why),
                        Evidence.unknown(why),
                        alarms(),
                        archives());
            case Known<Endpoint>(Endpoint known) -> look(status, known);
        };
    }

    private ClusterChart look(Seen status, Endpoint api) {
        try (ClusterClient client = ClusterClient.connect(api, LIMIT)) {
            ClusterReader reader = new ClusterReader(client);
            return new ClusterChart(
                    status,
                    Evidence.known(CheckUpSource.look(client, clock.instant())),
                    leases(reader.get(LEASES)),
                    databaseSize(reader.text("/metrics")),
                    alarms(),
                    archives());
        }
    }

    private Evidence<Leases> leases(Evidence<Json> list) {
        return list.map(value -> new Leases(clock.instant(), value.at("items").items()));
    }

    static Evidence<Long> databaseSize(Evidence<String> metrics) {
        return metrics.flatMap(text -> DATABASE_SIZE
                .matcher(text)
                .results()
                .map(line -> (long) Double.parseDouble(line.group(1)))
                .max(Long::compareTo)
                .filter(bytes -> bytes > 0)
                .<Evidence<Long>>map(Evidence::known)
                .orElseGet(() -> Evidence.unknown("the API server's metrics do not say it")));
    }

    private Evidence<List<Alarm>> alarms() {
        return etcd.flatMap(servers -> tried(() -> EtcdAlarms.raised(servers)));
    }

    private Evidence<Set<String>> archives() {
        return node.flatMap(place -> tried(() -> new TreeSet<>(disk.list(place.file(ARCHIVES)))));
    }

    private static <T> Evidence<T> tried(Supplier<T> look) {
        try {
            return Evidence.known(look.get());
        } catch (ProblemException e) {
            return Evidence.unknown(e.problems().getFirst().describe());
        }
    }
}
