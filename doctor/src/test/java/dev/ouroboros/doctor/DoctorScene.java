package dev.ouroboros.doctor;

import dev.ouroboros.doctor.ClusterChart.Leases;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.EtcdCluster;
import dev.ouroboros.etcd.EtcdMember;
import dev.ouroboros.etcd.EtcdMemberStatus;
import dev.ouroboros.etcd.WalSyncs;
import dev.ouroboros.keeper.act.RuntimeArchive;
import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.ailment.Finding;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import dev.ouroboros.status.seen.SavedCheckpoint;
import dev.ouroboros.status.seen.SavedSlots;
import dev.ouroboros.status.seen.Seen;
import dev.ouroboros.upgrade.decide.ClusterSeen;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A cluster of one node that is well; each test changes one thing. */
final class DoctorScene {
    static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    static final String IMAGE = "localhost/kube-apiserver:v1.20.2";

    private static final String CLUSTER = "0d4f2c52-0000-4000-8000-000000000001";
    private static final ComponentName API_SERVER = new ComponentName("kube-system", "kube-apiserver");

    String annotations = "{\"ouroboros.dev/checkpoint\": \"true\"}";
    Evidence<SavedSlots> slots = Evidence.known(new SavedSlots(Optional.of(saved()), Optional.empty()));
    Instant certificate = NOW.plus(Duration.ofDays(300));
    Instant renewed = NOW.minusSeconds(4);
    String server = "v1.20.2";
    String apiServerFlag = "--secure-port=6443";
    String kubelet = "v1.20.2";
    String ready = "True";
    String etcdFlags = "";
    String etcdVariables = "";
    Evidence<Long> databaseBytes = Evidence.known(100L << 20);
    Evidence<List<Alarm>> alarms = Evidence.known(List.of());
    /** By the names of members; what one says of itself. */
    SortedMap<String, Evidence<EtcdMemberStatus>> members = new TreeMap<>(Map.of("one", member("one", 1)));

    SortedMap<String, Evidence<WalSyncs>> syncs = new TreeMap<>();
    Evidence<Optional<Json>> controlPlane = Evidence.known(Optional.empty());

    SortedSet<String> learners = new TreeSet<>();
    Evidence<Set<String>> archives = Evidence.known(Set.of(RuntimeArchive.fileName(IMAGE)));
    long freeMemory = 4_000_000_000L;
    List<DeprecatedRequest> requests = new ArrayList<>();
    Optional<String> apiTrouble = Optional.empty();
    boolean nodeIsSeen = true;
    /** What the Node says of its checkpoints. */
    Optional<CheckpointSummary> told = Optional.empty();

    /** What is wished of its kubelet, and what it says of that; empty when nothing is. */
    String kubeletWish = "";

    Optional<KubeletReport> kubeletReport = Optional.empty();

    /** Nodes besides the first. */
    final List<NodeChart> others = new ArrayList<>();

    List<Finding> findings() {
        Seen status = new Seen(
                NOW,
                Evidence.known(apiTrouble
                        .map(why -> ApiSeen.unknown("https://192.0.2.1:6443", why))
                        .orElseGet(this::api)),
                nodeIsSeen ? Evidence.known(node()) : Evidence.unknown("this machine is no control-plane node"));
        return ClusterDoctor.examine(new ClusterChart(
                status,
                apiTrouble.<Evidence<ClusterSeen>>map(Evidence::unknown).orElseGet(() -> Evidence.known(cluster())),
                apiTrouble
                        .<Evidence<Leases>>map(Evidence::unknown)
                        .orElseGet(() -> Evidence.known(new Leases(NOW, List.of(lease())))),
                databaseBytes,
                alarms.map(_ -> etcd()),
                controlPlane,
                Stream.concat(Stream.of(new NodeChart("one", status.node(), archives)), others.stream())
                        .toList()));
    }

    EtcdCluster etcd() {
        return new EtcdCluster(
                members.keySet().stream()
                        .map(name -> new EtcdMember(
                                name, name, List.of("https://" + name + ":2380"), List.of(), learners.contains(name)))
                        .toList(),
                members,
                new TreeMap<>(),
                syncs,
                alarms);
    }

    /** A member that is the leader, or follows {@code one}. */
    static Evidence<EtcdMemberStatus> member(String name, long applied) {
        return Evidence.known(new EtcdMemberStatus(
                "c1",
                name,
                "3.4.23",
                Optional.of("one"),
                2,
                applied,
                applied,
                applied,
                20L << 20,
                19L << 20,
                List.of()));
    }

    List<Finding> wrong() {
        return findings().stream().filter(Finding::isWrong).toList();
    }

    static SavedCheckpoint saved() {
        return new SavedCheckpoint(new Revision("3f".repeat(32)), Optional.of(NOW), List.of(IMAGE), List.of());
    }

    private ApiSeen api() {
        return new ApiSeen(
                "https://192.0.2.1:6443",
                Evidence.known("v1.20.2"),
                Evidence.known(CLUSTER),
                Evidence.known(List.of(apiNode())),
                Evidence.known(List.of(json("""
                        {"metadata": {"namespace": "kube-system", "name": "kube-apiserver", "generation": 1},
                         "spec": {"template": {"metadata": {"annotations": %s}, "spec": {
                            "containers": [{"name": "kube-apiserver", "image": "%s"}],
                            "volumes": [{"secret": {"secretName": "kube-apiserver"}}]}}},
                         "status": {"observedGeneration": 1, "desiredNumberScheduled": 1, "currentNumberScheduled": 1,
                                    "updatedNumberScheduled": 1, "numberReady": 1}}
                        """.formatted(annotations, IMAGE)))),
                Evidence.known(List.of()),
                Evidence.known(List.of(apiServerPod(), etcdPod())),
                Evidence.known(List.of(new DatedCertificate(
                        "kube-apiserver",
                        "apiserver.crt",
                        "CN=kube-apiserver",
                        certificate,
                        false,
                        "CN=kubernetes-ca",
                        Instant.EPOCH))),
                Evidence.known(Set.of()),
                Evidence.known(ApiSeen.Others.NONE));
    }

    private NodeSeen node() {
        return node("one", List.of());
    }

    NodeSeen node(String name, List<DatedCertificate> ofKubelet) {
        return new NodeSeen(
                name,
                Evidence.known(json("""
                        {"node": "one", "front": "ToPrincipal[]", "components": {"kube-system/kube-apiserver":
                          {"role": "API_SERVER", "condition": "SERVING", "description": "serves", "waitsFor": ""}}}
                        """)),
                Optional.empty(),
                Evidence.known(List.of()),
                Evidence.known(Map.of(API_SERVER, slots)),
                Evidence.known(true),
                Evidence.known("v1.20.2"),
                Evidence.known(Optional.of(CLUSTER)),
                Evidence.known(new NodeCertificates(List.of(), ofKubelet)));
    }

    private ClusterSeen cluster() {
        return new ClusterSeen(
                NOW,
                Evidence.known(KubernetesVersion.parse(server).orElseThrow()),
                Evidence.known(List.of(apiNode())),
                Evidence.known(List.of(new Manifest("API", json("""
                        {"kind": "DaemonSet", "metadata": {"namespace": "kube-system", "name": "kube-apiserver"},
                         "spec": {"template": {"spec": {"containers": [
                            {"name": "kube-apiserver", "command": ["kube-apiserver", "%s"]}]}}}}
                        """.formatted(apiServerFlag))))),
                Evidence.known(List.of(apiServerPod(), etcdPod())),
                Evidence.unknown("not asked"),
                Evidence.unknown("not asked"),
                Map.of("clients", Evidence.known(requests)),
                Map.of("one", Evidence.known(json("""
                        {"node": {"memory": {"availableBytes": %d},
                                  "fs": {"availableBytes": 50000000000, "capacityBytes": 100000000000},
                                  "runtime": {"imageFs": {"availableBytes": 50000000000, "capacityBytes": 100000000000}}},
                         "pods": [{"containers": [{"name": "kube-apiserver", "memory": {"workingSetBytes": 400000000}}]}]}
                        """.formatted(freeMemory)))),
                Evidence.unknown("not asked"),
                Evidence.unknown("not asked"),
                Evidence.unknown("not asked"));
    }

    private Json apiNode() {
        Json.Fields annotations = Json.object();
        if (told.isPresent()) {
            annotations = annotations.with(
                    CheckpointSummary.ANNOTATION, Json.text(told.get().text(NOW)));
        }
        if (!kubeletWish.isEmpty()) {
            annotations = annotations.with(KubeletWish.ANNOTATION, Json.text(kubeletWish));
        }
        if (kubeletReport.isPresent()) {
            annotations = annotations.with(
                    KubeletReport.ANNOTATION,
                    Json.text(JsonText.text(kubeletReport.get().json())));
        }
        return json("""
                {"metadata": {"name": "one", "labels": {"node-role.kubernetes.io/master": ""}, "annotations": %s},
                 "status": {"nodeInfo": {"kubeletVersion": "%s"},
                            "conditions": [{"type": "Ready", "status": "%s", "message": "as it says"}]}}
                """.formatted(new String(JsonText.write(annotations), StandardCharsets.UTF_8), kubelet, ready));
    }

    private Json lease() {
        return json("""
                {"metadata": {"name": "one"}, "spec": {"leaseDurationSeconds": 40, "renewTime": "%s"}}
                """.formatted(renewed));
    }

    private static Json apiServerPod() {
        return json("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"namespace": "kube-system", "name": "kube-apiserver-xkcd2",
                              "ownerReferences": [{"controller": true, "kind": "DaemonSet", "name": "kube-apiserver"}]},
                 "spec": {"nodeName": "one", "containers": [{"name": "kube-apiserver", "image": "%s"}]},
                 "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
                """.formatted(IMAGE));
    }

    private Json etcdPod() {
        return json("""
                {"apiVersion": "v1", "kind": "Pod",
                 "metadata": {"namespace": "kube-system", "name": "etcd-one",
                              "annotations": {"kubernetes.io/config.mirror": "1", "kubernetes.io/config.source": "file"},
                              "ownerReferences": [{"controller": true, "kind": "Node", "name": "one"}]},
                 "spec": {"nodeName": "one", "containers": [{"name": "etcd", "image": "localhost/etcd:3.4.23",
                          "command": ["etcd"%s], "env": [%s]}]},
                 "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
                """.formatted(etcdFlags, etcdVariables));
    }

    static Json json(String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
