package dev.ouroboros.doctor;

import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.decide.DatabaseQuota;
import dev.ouroboros.model.ailment.Ailment;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The alarms of etcd, and how much of its quota the database takes. The size is the API server's metric; the quota is etcd's flag or environment
 * variable.
 */
final class EtcdExam {
    private static final String CHECK = Ailment.ETCD_IS_FULL.check();
    private static final long MEBIBYTE = 1L << 20;
    private static final int FULL = 95;

    private EtcdExam() {}

    static List<Finding> of(ClusterChart chart) {
        return Stream.concat(Stream.of(size(chart)), alarms(chart.etcd().flatMap(EtcdCluster::alarms)))
                .toList();
    }

    /** The alarms that are raised; used as well by commands that show etcd alone. */
    static Stream<Finding> alarms(Evidence<List<Alarm>> alarms) {
        String check = Ailment.ETCD_IS_CORRUPT.check();
        return switch (alarms) {
            case Unknown<List<Alarm>>(String why) -> Stream.of(Finding.unknown(check, why));
            case Known<List<Alarm>>(List<Alarm> none)
            when none.isEmpty() -> Stream.of(Finding.ok(check, "none raised"));
            case Known<List<Alarm>>(List<Alarm> raised) -> raised.stream().map(EtcdExam::alarm);
        };
    }

    private static Finding alarm(Alarm alarm) {
        return switch (alarm.kind()) {
            case NO_SPACE -> Ailment.ETCD_IS_OUT_OF_SPACE.seen("NOSPACE, raised by member " + alarm.member());
            case CORRUPT -> Ailment.ETCD_IS_CORRUPT.seen("CORRUPT, raised by member " + alarm.member());
            case OTHER ->
                Finding.unknown(
                        Ailment.ETCD_IS_CORRUPT.check(),
                        "one that this ouro does not know, raised by member " + alarm.member()
                                + "; ask: etcdctl alarm list");
        };
    }

    private static Finding size(ClusterChart chart) {
        Evidence<DatabaseQuota> quota = quota(chart.cluster());
        if (chart.databaseBytes() instanceof Unknown<Long>(String why)) {
            return Finding.unknown(CHECK, "the size of etcd's database: " + why);
        }
        long size = chart.databaseBytes().orElse(0L);
        return switch (quota) {
            case Unknown<DatabaseQuota>(String why) ->
                Finding.unknown(CHECK, size / MEBIBYTE + " MiB of a quota that is not known: " + why);
            case Known<DatabaseQuota>(DatabaseQuota known) -> judge(size, known);
        };
    }

    private static Finding judge(long size, DatabaseQuota quota) {
        if (quota.bytes().isEmpty()) {
            return Finding.ok(CHECK, size / MEBIBYTE + " MiB, without a quota");
        }
        int percent = quota.percent(size).orElse(0);
        String evidence = size / MEBIBYTE + " MiB of " + quota.bytes().get() / MEBIBYTE + " MiB, " + percent + " %";
        if (percent >= FULL) {
            return Ailment.ETCD_IS_FULL.seen(evidence);
        }
        return percent >= DatabaseQuota.FILLS ? Ailment.ETCD_FILLS.seen(evidence) : Finding.ok(CHECK, evidence);
    }

    /** The smallest quota of several members: it is reached first. */
    private static Evidence<DatabaseQuota> quota(Evidence<ClusterSeen> cluster) {
        if (cluster instanceof Unknown<ClusterSeen>(String why)) {
            return Evidence.unknown(why);
        }
        Evidence<List<Json>> pods =
                cluster instanceof Known<ClusterSeen>(ClusterSeen seen) ? seen.pods() : Evidence.unknown("");
        if (pods instanceof Unknown<List<Json>>(String why)) {
            return Evidence.unknown(why);
        }
        List<Manifest> etcds = pods.orElse(List.of()).stream()
                .map(pod -> new Manifest("API", pod))
                .filter(pod -> pod.container(Component.ETCD).isPresent())
                .toList();
        if (etcds.isEmpty()) {
            return Evidence.unknown("no pod of kube-system is an etcd");
        }
        List<DatabaseQuota> quotas =
                etcds.stream().flatMap(pod -> quota(pod).stream()).toList();
        return quotas.size() < etcds.size()
                ? Evidence.unknown("etcd's --quota-backend-bytes is no number")
                : Evidence.known(quotas.stream()
                        .min(Comparator.comparingLong(quota -> quota.bytes().orElse(Long.MAX_VALUE)))
                        .orElseThrow());
    }

    private static Optional<DatabaseQuota> quota(Manifest pod) {
        Optional<String> variable = pod.container(Component.ETCD).stream()
                .flatMap(container -> container.at("env").items().stream())
                .filter(each -> each.at("name").equals(Json.text("ETCD_QUOTA_BACKEND_BYTES")))
                .flatMap(each -> each.at("value").text().stream())
                .findFirst();
        return DatabaseQuota.of(
                pod.commandLine(Component.ETCD).value("quota-backend-bytes").or(() -> variable));
    }
}
