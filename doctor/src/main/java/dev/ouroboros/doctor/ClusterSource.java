package dev.ouroboros.doctor;

import dev.ouroboros.api.ApiPath;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.doctor.ClusterChart.Leases;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdClusterSource;
import dev.ouroboros.etcd.EtcdClusterSource.Detail;
import dev.ouroboros.etcd.EtcdServers;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.component.StewardObjects;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.Seen;
import dev.ouroboros.status.source.NodePlace;
import dev.ouroboros.status.source.StatusSource;
import dev.ouroboros.upgrade.plan.CheckUpSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Asks a cluster's API and looks at its nodes, as far as they can be looked at from here. Changes nothing. */
public final class ClusterSource {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    private static final ApiPath CONTROL_PLANE =
            ApiPath.of(StewardObjects.API_VERSION, StewardObjects.RESOURCE).named(StewardObjects.NAME);
    private static final String ARCHIVES = StateLayout.path(StateLayout.KEEPER) + "/images";

    /**
     * One gauge under the names that it has had over time (kubernetes, staging/src/k8s.io/apiserver/pkg/storage/etcd3/metrics); it has a line for
     * each etcd.
     */
    private static final Pattern DATABASE_SIZE = Pattern.compile(
            "(?m)^(?:etcd_db_total_size_in_bytes|apiserver_storage_db_total_size_in_bytes|apiserver_storage_size_bytes)"
                    + "\\{[^}]*\\} ([0-9.eE+]+)$");

    private final Evidence<Endpoint> endpoint;
    private final Evidence<NodePlace> node;
    private final SortedMap<String, Evidence<NodePlace>> others;
    private final Evidence<EtcdServers> etcd;
    private final Disk disk;
    private final InstantSource clock;

    /**
     * @param endpoint unknown when there is no kubeconfig, or one that cannot be used
     * @param node unknown when there is no node to look at
     * @param others other nodes that can be looked at from here, by name; unknown which cannot now
     * @param etcd unknown when there are no keys to it
     */
    public ClusterSource(
            Evidence<Endpoint> endpoint,
            Evidence<NodePlace> node,
            SortedMap<String, Evidence<NodePlace>> others,
            Evidence<EtcdServers> etcd,
            Disk disk,
            InstantSource clock) {
        this.endpoint = endpoint;
        this.node = node;
        this.others = others;
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
                        etcd(),
                        Evidence.unknown(why),
                        nodes(status));
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
                    etcd(),
                    client.looking("ControlPlane/cluster", () -> client.api().find(CONTROL_PLANE)),
                    nodes(status));
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

    private Evidence<EtcdCluster> etcd() {
        return etcd.flatMap(servers -> Evidence.asking(() -> new EtcdClusterSource(servers).look(Detail.WAL_SYNCS)));
    }

    private List<NodeChart> nodes(Seen status) {
        List<NodeChart> nodes = new ArrayList<>();
        nodes.add(new NodeChart(
                status.node().map(NodeSeen::name).orElse(""), status.node(), node.flatMap(this::archives)));
        others.forEach((name, place) -> nodes.add(new NodeChart(
                name, place.map(known -> StatusSource.ofNode(known, disk)), place.flatMap(this::archives))));
        return nodes;
    }

    private Evidence<Set<String>> archives(NodePlace place) {
        return Evidence.asking(() -> new TreeSet<>(disk.list(place.file(ARCHIVES))));
    }
}
