package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.lint.ManifestFile;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import dev.ouroboros.upgrade.decide.ClusterSeen.Expiry;
import dev.ouroboros.upgrade.decide.ClusterSeen.Stored;
import dev.ouroboros.upgrade.merge.Conflict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A cluster of one node that is well, and its upgrade from 1.20.2 to 1.21.0; each test changes one thing. */
final class UpgradeScene {
    static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    KubernetesVersion server = version("1.20.2");
    boolean serverAnswers = true;
    String target = "1.21.0";
    Optional<KubernetesVersion> emulated = Optional.empty();
    String node = """
            apiVersion: v1
            kind: Node
            metadata: {name: n1, labels: {node-role.kubernetes.io/master: ""}}
            status:
              nodeInfo: {kubeletVersion: v1.20.2}
              conditions: [{type: Ready, status: "True"}, {type: DiskPressure, status: "False"}]
              images: [{names: ["registry/kube-apiserver:v1.20.2"]}]
            """;
    String summary = """
            node:
              memory: {availableBytes: 4000000000}
              fs: {availableBytes: 50000000000, capacityBytes: 100000000000}
              runtime: {imageFs: {availableBytes: 50000000000, capacityBytes: 100000000000}}
            pods: [{containers: [{name: kube-apiserver, memory: {workingSetBytes: 400000000}}]}]
            """;
    String apiServerStatus =
            "{observedGeneration: 1, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberReady: 1}";
    String apiServerAnnotations = "{}";
    List<String> liveFlags = new ArrayList<>(List.of("--secure-port=6443"));
    List<String> baseFlags = new ArrayList<>(List.of("--secure-port=6443"));
    List<String> targetFlags = new ArrayList<>(List.of("--secure-port=6443"));
    List<String> addOns = new ArrayList<>();
    List<DeprecatedRequest> requests = new ArrayList<>();
    List<Stored> stored = new ArrayList<>();
    List<Expiry> certificates = new ArrayList<>();
    List<Problem> problems = new ArrayList<>();
    final List<Problem> edited = new ArrayList<>();
    boolean isDifferent = true;
    /** The API server's, with TAG where its tag is. */
    String image = "registry/kube-apiserver:TAG";

    Optional<String> targetTag = Optional.empty();
    String etcd = "3.4.23";
    final List<Manifest> workloads = new ArrayList<>();
    final List<Json> pods = new ArrayList<>();
    private final List<Json> otherNodes = new ArrayList<>();
    DocumentChange document = DocumentChange.NONE;
    Evidence<Map<ObjectName, List<Conflict>>> conflicts = Evidence.known(Map.of());
    final SortedMap<String, String> reissued = new TreeMap<>();
    Optional<String> underWay = Optional.empty();
    List<String> goneFromTheTarget = new ArrayList<>();
    boolean isBaseKnown = true;
    boolean changesKubelets;
    boolean loadsImages = true;
    final Map<Component, Evidence<Intent.Program>> programs = new TreeMap<>();

    private static final String PROXY_POD = """
            apiVersion: v1
            kind: Pod
            metadata:
              name: %s
              namespace: kube-system
              labels: {controller-revision-hash: h1, pod-template-generation: "1"}
              ownerReferences: [{kind: DaemonSet, uid: proxy}]
            spec: {nodeName: %s, containers: [{name: kube-proxy, image: "registry/kube-proxy:v1.20.2"}]}
            status: {phase: Running, conditions: [{type: Ready, status: "%s"}]}
            """;

    /** An object as people write it. */
    private static Json yaml(String text) {
        return ManifestFile.read(text, "scene").getFirst().value();
    }

    static KubernetesVersion version(String text) {
        return KubernetesVersion.parse(text).orElseThrow();
    }

    UpgradePlan plan() {
        return Planner.plan(seen(), intent());
    }

    List<PlanFinding> of(PlanFinding.Severity severity) {
        return plan().findings().stream()
                .filter(finding -> finding.severity() == severity)
                .toList();
    }

    List<PlanFinding> blocking() {
        return of(PlanFinding.Severity.BLOCKING);
    }

    /** A component beside the API server, and its pod. */
    void with(String workload, String pod) {
        workloads.add(new Manifest("API", yaml(workload)));
        pods.add(yaml(pod));
    }

    /** A worker, and the pod of kube-proxy on it, which is of the template and not ready, as that of the first node is. */
    void workerWithoutProxy(String name, boolean nodeReady, String proxyAnnotations) {
        pods.add(yaml(PROXY_POD.formatted("kube-proxy-1", "n1", "True")));
        otherNodes.add(yaml("""
                apiVersion: v1
                kind: Node
                metadata: {name: %s}
                status: {nodeInfo: {kubeletVersion: v1.20.2}, conditions: [{type: Ready, status: "%s"}]}
                """.formatted(name, nodeReady ? "True" : "Unknown")));
        with("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata:
                  name: kube-proxy
                  namespace: kube-system
                  uid: proxy
                  generation: 1
                  annotations: {deprecated.daemonset.template.generation: "1", %s}
                spec: {updateStrategy: {type: RollingUpdate}, template: {spec: {containers: [{name: kube-proxy, image: "registry/kube-proxy:v1.20.2"}]}}}
                status: {observedGeneration: 1, desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberReady: 1, numberAvailable: 1}
                """.formatted(proxyAnnotations), PROXY_POD.formatted("kube-proxy-2", name, "False"));
    }

    private ClusterSeen seen() {
        return new ClusterSeen(
                NOW,
                serverAnswers ? Evidence.known(server) : Evidence.unknown("connection refused"),
                Evidence.known(Stream.concat(Stream.of(yaml(node)), otherNodes.stream())
                        .toList()),
                Evidence.known(Stream.concat(Stream.of(apiServer("API", liveFlags), keeper()), workloads.stream())
                        .toList()),
                Evidence.known(
                        serverAnswers
                                ? Stream.concat(Stream.of(pod()), pods.stream()).toList()
                                : List.of()),
                Evidence.known(List.of()),
                Evidence.known(List.of()),
                Map.of("clients", Evidence.known(requests)),
                Map.of("n1", Evidence.known(yaml(summary))),
                Evidence.known(version(etcd)),
                Evidence.known(certificates),
                Evidence.known(stored));
    }

    private Intent intent() {
        List<Manifest> manifests = new ArrayList<>(List.of(apiServer("manifests/kube-apiserver.yaml", targetFlags)));
        addOns.forEach(text -> manifests.add(new Manifest("manifests/z-addon-x.yaml", yaml(text))));
        boolean isRendered = problems.isEmpty() && isBaseKnown;
        return new Intent(
                version(target),
                emulated,
                isBaseKnown
                        ? Evidence.known(Stream.concat(
                                        Stream.of(apiServer("manifests/kube-apiserver.yaml", baseFlags)),
                                        goneFromTheTarget.stream()
                                                .map(text -> new Manifest("manifests/x.yaml", yaml(text))))
                                .toList())
                        : Evidence.unknown("no asset directory"),
                isRendered ? Evidence.known(manifests) : Evidence.unknown("not rendered"),
                problems,
                edited,
                reissued,
                EnumSet.of(Component.API_SERVER),
                isDifferent,
                loadsImages,
                changesKubelets,
                programs,
                document,
                underWay,
                conflicts);
    }

    private Manifest apiServer(String where, List<String> flags) {
        String running = serverAnswers ? "v" + server.number() : "latest";
        String tag = where.equals("API") ? running : targetTag.orElse("v" + target);
        return new Manifest(where, yaml("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: kube-apiserver, namespace: kube-system, generation: 1, annotations: %s}
                spec:
                  template:
                    metadata: {annotations: {ouroboros.dev/checkpoint: "true"}}
                    spec:
                      hostNetwork: true
                      automountServiceAccountToken: false
                      containers:
                      - {name: kube-apiserver, image: "%s", command: [kube-apiserver, %s]}
                status: %s
                """.formatted(
                        apiServerAnnotations, image.replace("TAG", tag), quoted(flags), apiServerStatus)));
    }

    private static String quoted(List<String> flags) {
        return String.join(", ", flags.stream().map(flag -> '"' + flag + '"').toList());
    }

    private static Manifest keeper() {
        return new Manifest("API", yaml("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata: {name: ouroboros-keeper, namespace: kube-system, generation: 1}
                spec: {template: {spec: {containers: [{name: ouroboros-keeper, image: "registry/keeper:0.1.0"}]}}}
                status: {observedGeneration: 1, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberReady: 1}
                """));
    }

    private static Json pod() {
        return yaml("""
                apiVersion: v1
                kind: Pod
                metadata: {name: kube-apiserver-x, namespace: kube-system}
                spec: {nodeName: n1, containers: [{name: kube-apiserver, image: "registry/kube-apiserver:v1.20.2"}]}
                status: {phase: Running}
                """);
    }
}
