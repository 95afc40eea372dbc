package dev.ouroboros.status;

import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import dev.ouroboros.model.kubelet.KubeletReport;
import dev.ouroboros.model.kubelet.KubeletWish;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.status.judge.Judge;
import dev.ouroboros.status.model.Report;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import dev.ouroboros.status.seen.SavedCheckpoint;
import dev.ouroboros.status.seen.SavedSlots;
import dev.ouroboros.status.seen.Seen;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A cluster of one node, {@code one}, as a test wants it to be seen; a healthy one to begin with. */
public final class StatusScene {
    public static final Instant NOW = Instant.parse("2026-03-01T03:00:00Z");
    public static final String SERVER = "https://192.0.2.1:6443";
    public static final ComponentName STEWARD = new ComponentName("kube-system", "ouroboros-steward");
    public static final ComponentName API_SERVER = new ComponentName("kube-system", "kube-apiserver");
    public static final ComponentName SCHEDULER = new ComponentName("kube-system", "kube-scheduler");

    public static final ComponentName KEEPER = new ComponentName("kube-system", "ouroboros-keeper");
    public static final Instant TOLD_AT = NOW.minusSeconds(3600);

    private static final String CLUSTER = "0d4f2c52-0000-4000-8000-000000000001";
    private static final String REVISION = "3f".repeat(32);
    private static final Instant EXPIRES = NOW.plus(Duration.ofDays(364));

    private final Map<ComponentName, Json> daemonSets = new LinkedHashMap<>();
    private final Map<ComponentName, Json> deployments = new LinkedHashMap<>();
    private final Map<String, String> words = new TreeMap<>();
    private final Map<ComponentName, Evidence<SavedSlots>> slots = new TreeMap<>();
    private Evidence<ApiSeen> api = Evidence.unknown("set by report()");
    private boolean apiAnswers = true;
    private String apiClusterId = CLUSTER;
    private Evidence<NodeSeen> node = Evidence.unknown("set by report()");
    private boolean nodeIsSeen = true;
    private final Map<String, Json> nodes = new TreeMap<>();
    private final List<Json> otherPods = new ArrayList<>();
    private Set<String> named = new TreeSet<>(Set.of("one"));
    private Optional<String> nodesTrouble = Optional.empty();
    private Optional<String> othersTrouble = Optional.empty();
    private Optional<String> diskTrouble = Optional.empty();
    private String apiTrouble = "";
    private String change = "";
    private String problems = "";
    private Instant certificates = EXPIRES;
    private boolean kubeletRuns = true;
    private boolean etcdLeftATrace = true;
    private boolean etcdIsReady = true;
    private Optional<String> keeperTrouble = Optional.empty();
    private Optional<Json> agent = Optional.empty();

    public StatusScene() {
        node("one", true, Optional.empty());
        daemonSet(API_SERVER, "v1.20.2", "");
        deployment(SCHEDULER, "v1.20.2", 1);
        keeper(API_SERVER, "API_SERVER", "SERVING", "the principal serves", "");
        keeper(SCHEDULER, "SCHEDULER", "SERVING", "the principal serves", "");
        lastGood(API_SERVER);
        lastGood(SCHEDULER);
    }

    /** @param metadata more of it, beginning with a comma, or nothing */
    public StatusScene daemonSet(ComponentName name, String tag, String metadata) {
        return daemonSet(name, tag, metadata, 1);
    }

    public StatusScene daemonSet(ComponentName name, String tag, String metadata, int updated) {
        return daemonSet(name, tag, metadata, updated, 2);
    }

    /** @param observed generation that its controller has seen; it is of generation 2 */
    public StatusScene daemonSet(ComponentName name, String tag, String metadata, int updated, int observed) {
        daemonSets.put(name, json("""
                {"metadata": {"namespace": "%s", "name": "%s", "generation": 2%s}, "spec": {"template": %s},
                 "status": {"observedGeneration": %d, "desiredNumberScheduled": 1, "currentNumberScheduled": 1,
                            "updatedNumberScheduled": %d, "numberReady": 1}}
                """.formatted(
                        name.namespace(), name.name(), metadata, template(name, tag), observed, updated)));
        return this;
    }

    /**
     * On several nodes.
     *
     * @param metadata more of it, beginning with a comma, or nothing
     */
    public StatusScene daemonSetOnNodes(ComponentName name, int desired, int updated, int ready, String metadata) {
        daemonSets.put(name, json("""
                {"metadata": {"namespace": "%s", "name": "%s", "generation": 2%s}, "spec": {"template": %s},
                 "status": {"observedGeneration": 2, "desiredNumberScheduled": %d, "currentNumberScheduled": %5$d,
                            "updatedNumberScheduled": %d, "numberReady": %d}}
                """.formatted(
                        name.namespace(), name.name(), metadata, template(name, "v1.20.2"), desired, updated, ready)));
        return this;
    }

    /** Where etcd is its owner's. */
    public StatusScene stewardThatLeavesEtcdAlone() {
        daemonSets.put(STEWARD, json("""
                {"metadata": {"namespace": "kube-system", "name": "ouroboros-steward", "generation": 2},
                 "spec": {"template": {"spec": {"containers": [{"args": ["--manages-etcd=false"]}]}}},
                 "status": {"observedGeneration": 2, "desiredNumberScheduled": 1, "currentNumberScheduled": 1,
                            "updatedNumberScheduled": 1, "numberReady": 1}}
                """));
        return this;
    }

    /** Of which there is to be no pod on any node. */
    public StatusScene daemonSetForNobody(ComponentName name) {
        daemonSets.put(name, json("""
                {"metadata": {"namespace": "%s", "name": "%s", "generation": 2},
                 "spec": {"template": {"spec": {"containers": [{"name": "%2$s", "image": "registry.example/%2$s:1"}]}}},
                 "status": {"observedGeneration": 2, "desiredNumberScheduled": 0, "currentNumberScheduled": 0, "numberReady": 0}}
                """.formatted(name.namespace(), name.name())));
        return this;
    }

    public StatusScene deployment(ComponentName name, String tag, int ready) {
        return deployment(name, tag, 1, 1, """
                {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": %d}""".formatted(ready));
    }

    /**
     * Somebody scaled it.
     *
     * @param pods that it has, all ready, when its controller counted last
     * @param observed whether that was after it was scaled
     */
    public StatusScene scaled(ComponentName name, int replicas, int pods, boolean observed) {
        return deployment(name, "v1.20.2", 2, replicas, """
                {"observedGeneration": %d, "replicas": %d, "updatedReplicas": %d, "readyReplicas": %d}""".formatted(observed ? 2 : 1, pods, pods, pods));
    }

    private StatusScene deployment(ComponentName name, String tag, int generation, int replicas, String status) {
        deployments.put(name, json("""
                {"metadata": {"namespace": "%s", "name": "%s", "generation": %d},
                 "spec": {"replicas": %d, "template": %s}, "status": %s}
                """.formatted(
                        name.namespace(), name.name(), generation, replicas, template(name, tag), status)));
        return this;
    }

    /** What a pod is called after need not be its first container. */
    private static String template(ComponentName name, String tag) {
        return """
                {"metadata": {"annotations": {"ouroboros.dev/checkpoint": "true"}},
                 "spec": {"containers": [{"name": "sidecar", "image": "example.test/sidecar:v9.9.9"},
                                         {"name": "%s", "image": "example.test/%s:%s"}],
                          "volumes": [{"secret": {"secretName": "%s"}}]}}""".formatted(name.name(), name.name(), tag, name.name());
    }

    public StatusScene keeper(ComponentName name, String role, String condition, String description, String waitsFor) {
        return keeper(name, role, condition, description, waitsFor, NOW.minusSeconds(300));
    }

    public StatusScene keeper(
            ComponentName name, String role, String condition, String description, String waitsFor, Instant since) {
        words.put(name.toString(), """
                {"role": "%s", "condition": "%s", "description": "%s", "waitsFor": "%s", "since": "%s"}""".formatted(role, condition, description, waitsFor, since));
        return this;
    }

    public StatusScene keeperIsAway(String why) {
        keeperTrouble = Optional.of(why);
        return this;
    }

    /** Where the node is no control-plane node. */
    public StatusScene agentSays(String state) {
        agent = Optional.of(json(state));
        return keeperIsAway("the keeper on 127.0.0.1:26445 does not answer");
    }

    /**
     * A Node of the API.
     *
     * @param told value of its annotation; empty for none
     */
    public StatusScene node(String name, boolean ready, Optional<String> told) {
        String annotations =
                told.map(value -> ", \"annotations\": " + written(value)).orElse("");
        nodes.put(name, json("""
                {"metadata": {"name": "%s"%s},
                 "status": {"nodeInfo": {"kubeletVersion": "v1.20.2"},
                            "conditions": [{"type": "Ready", "status": "%s"}]}}
                """.formatted(name, annotations, ready ? "True" : "False")));
        return this;
    }

    /** A node that is ready, and says this of the kubelet that is wished of it. */
    public StatusScene kubelet(String name, KubeletReport.State state) {
        String wish = "{\"config\":{\"maxPods\":50}}";
        KubeletReport report =
                new KubeletReport(state, KubeletReport.digestOf(wish), "base", "abc", "it ended three times");
        Json.Fields annotations = Json.object()
                .with(KubeletWish.ANNOTATION, Json.text(wish))
                .with(KubeletReport.ANNOTATION, Json.text(JsonText.text(report.json())));
        node(name, true, Optional.empty());
        Json.Fields node = (Json.Fields) nodes.getOrDefault(name, Json.absent());
        nodes.put(name, node.with("metadata", ((Json.Fields) node.at("metadata")).with("annotations", annotations)));
        return this;
    }

    /** The kubelet of {@code one} says that its disk is full. */
    public StatusScene diskPressure() {
        nodes.put("one", json("""
                {"metadata": {"name": "one"},
                 "status": {"nodeInfo": {"kubeletVersion": "v1.20.2"},
                            "conditions": [{"type": "Ready", "status": "True"},
                                           {"type": "DiskPressure", "status": "True",
                                            "message": "kubelet has disk pressure"}]}}
                """));
        return this;
    }

    /** A kubelet that is silent: the controller manager says so. */
    public StatusScene nodeIsOff(String name) {
        nodes.put(name, json("""
                {"metadata": {"name": "%s"},
                 "status": {"nodeInfo": {"kubeletVersion": "v1.20.2"},
                            "conditions": [{"type": "DiskPressure", "status": "Unknown"},
                                           {"type": "Ready", "status": "Unknown",
                                            "message": "Kubelet stopped posting node status."}]}}
                """.formatted(name)));
        return this;
    }

    private static String written(String annotation) {
        Json annotations = Json.object().with(CheckpointSummary.ANNOTATION, Json.text(annotation));
        return new String(JsonText.write(annotations), StandardCharsets.UTF_8);
    }

    /** What its keeper says of a node, last an hour ago: of the components their last-good, saved ten minutes before. */
    public static String told(ComponentName... components) {
        SortedMap<ComponentName, CheckpointSummary.Saved> saved = new TreeMap<>();
        for (ComponentName component : components) {
            saved.put(
                    component,
                    new CheckpointSummary.Saved(
                            Optional.of(new CheckpointSummary.Slot(
                                    new Revision("2e".repeat(32)), Optional.of(TOLD_AT.minusSeconds(600)))),
                            Optional.empty()));
        }
        return new CheckpointSummary(saved, new TreeMap<>()).text(TOLD_AT);
    }

    /** @param nodes to which the Service leads; their names are their addresses here */
    public StatusScene named(String... nodes) {
        named = new TreeSet<>(List.of(nodes));
        return this;
    }

    public StatusScene noNodeObject(String name) {
        nodes.remove(name);
        return this;
    }

    public StatusScene nodesAreUnknown(String why) {
        nodesTrouble = Optional.of(why);
        return this;
    }

    public StatusScene diskCannotBeRead(String why) {
        diskTrouble = Optional.of(why);
        return this;
    }

    /** A pod of a DaemonSet on a node. */
    public StatusScene podOn(String node, ComponentName component, boolean ready) {
        otherPods.add(pod(component.name() + "-" + node, component.name(), "DaemonSet", "v1.20.2", node, ready));
        return this;
    }

    /**
     * A pod of a DaemonSet on a node that is not ready.
     *
     * @param containers what the node's kubelet says of them, as the API has it
     */
    public StatusScene troubledPodOn(String node, ComponentName component, String containers) {
        otherPods.add(json("""
                {"metadata": {"namespace": "kube-system", "name": "%1$s-%2$s",
                              "ownerReferences": [{"controller": true, "kind": "DaemonSet", "name": "%1$s"}]},
                 "spec": {"nodeName": "%2$s", "containers": [{"name": "%1$s", "image": "example.test/%1$s:v1.20.2"}]},
                 "status": {"hostIP": "%2$s", "conditions": [{"type": "Ready", "status": "False"}],
                            "containerStatuses": %3$s}}
                """.formatted(component.name(), node, containers)));
        return this;
    }

    /** The keeper's static copy on a node, which is ready while it waits for its turn. */
    public StatusScene copyOfTheKeeperOn(String node) {
        otherPods.add(staticPod(KEEPER.name() + "-" + node, KEEPER.name(), "v1.20.2", node, true));
        return this;
    }

    /** @param containers what the node's kubelet says of them, as the API has it */
    public StatusScene etcdOn(String node, boolean ready, String containers) {
        otherPods.add(staticPod("etcd-" + node, "etcd", "3.4.23", node, ready, containers));
        return this;
    }

    /** A node beside ours, with an API server that gets clients and a keeper that is well. */
    public StatusScene another(String name, Optional<String> told) {
        named.add(name);
        return node(name, true, told).podOn(name, API_SERVER, true).podOn(name, KEEPER, true);
    }

    public StatusScene lastGood(ComponentName name) {
        return slots(name, Optional.of(saved()), Optional.empty());
    }

    public StatusScene slots(
            ComponentName name, Optional<SavedCheckpoint> lastGood, Optional<SavedCheckpoint> candidate) {
        slots.put(name, Evidence.known(new SavedSlots(lastGood, candidate)));
        return this;
    }

    public StatusScene tornCheckpoint(ComponentName name, String why) {
        slots.put(name, Evidence.unknown(why));
        return this;
    }

    public SavedCheckpoint saved() {
        return new SavedCheckpoint(
                new Revision(REVISION),
                Optional.of(NOW.minusSeconds(600)),
                List.of("example.test/any:v1.20.2"),
                List.of(leaf("checkpoint, secrets/tls.crt", "", "CN=any", certificates)));
    }

    public StatusScene apiIsAway(String why) {
        apiAnswers = false;
        apiTrouble = why;
        return this;
    }

    public StatusScene noKubeconfig(String why) {
        apiAnswers = false;
        api = Evidence.unknown(why);
        apiTrouble = "";
        return this;
    }

    public StatusScene apiOfAnotherCluster() {
        apiClusterId = "0d4f2c52-0000-4000-8000-000000000002";
        return this;
    }

    public StatusScene noNode() {
        nodeIsSeen = false;
        return this;
    }

    public StatusScene certificatesUntil(Instant end) {
        certificates = end;
        return this;
    }

    public StatusScene kubeletIsDead() {
        kubeletRuns = false;
        return this;
    }

    /** Its manifest is gone, and so long that the kubelet has removed its containers. */
    public StatusScene etcdIsGone() {
        etcdLeftATrace = false;
        return this;
    }

    /** The kubelet has not said yet that it is ready. */
    public StatusScene etcdIsNotSaidToBeReady() {
        etcdIsReady = false;
        return this;
    }

    /** @param json value of the keeper's field change */
    public StatusScene change(String json) {
        change = json;
        return this;
    }

    /** @param json items of the keeper's field problems */
    public StatusScene keeperProblems(String json) {
        problems = json;
        return this;
    }

    public Report report() {
        return Judge.report(seen());
    }

    private Seen seen() {
        if (apiAnswers) {
            api = Evidence.known(answer());
        } else if (!apiTrouble.isEmpty()) {
            api = Evidence.known(ApiSeen.unknown(SERVER, apiTrouble));
        }
        node = nodeIsSeen ? Evidence.known(node()) : Evidence.unknown("this machine is no control-plane node");
        return new Seen(NOW, api, node);
    }

    private ApiSeen answer() {
        return new ApiSeen(
                SERVER,
                Evidence.known("v1.20.2"),
                Evidence.known(apiClusterId),
                nodesTrouble
                        .<Evidence<List<Json>>>map(Evidence::unknown)
                        .orElseGet(() -> Evidence.known(List.copyOf(nodes.values()))),
                Evidence.known(of(daemonSets, true)),
                Evidence.known(of(deployments, true)),
                Evidence.known(pods()),
                Evidence.known(List.of(
                        leaf("kube-apiserver", "apiserver.crt", "CN=kube-apiserver", certificates),
                        leaf("kube-scheduler", "kubeconfig", "CN=scheduler", certificates))),
                Evidence.known(named),
                others());
    }

    private static List<Json> of(Map<ComponentName, Json> all, boolean inSystem) {
        return all.entrySet().stream()
                .filter(each -> each.getKey().namespace().equals("kube-system") == inSystem)
                .map(Map.Entry::getValue)
                .toList();
    }

    private Evidence<ApiSeen.Others> others() {
        if (othersTrouble.isPresent()) {
            return Evidence.unknown(othersTrouble.get());
        }
        Map<String, Evidence<List<DatedCertificate>>> found = new TreeMap<>();
        Stream.concat(daemonSets.keySet().stream(), deployments.keySet().stream())
                .filter(name -> !name.namespace().equals("kube-system"))
                .forEach(name -> found.put(
                        name.namespace(),
                        Evidence.known(List.of(leaf(name.name(), "tls.crt", "CN=" + name.name(), certificates)))));
        return Evidence.known(new ApiSeen.Others(of(daemonSets, false), of(deployments, false), List.of(), found));
    }

    /** @param why other namespaces than kube-system could not be read */
    public StatusScene othersAreUnknown(String why) {
        othersTrouble = Optional.of(why);
        return this;
    }

    private List<Json> pods() {
        List<Json> pods = new ArrayList<>(List.of(
                pod("kube-apiserver-xkcd2", "kube-apiserver", "DaemonSet", "v1.20.2", "one", true),
                pod("kube-scheduler-6d5f4c7b8-vwxz2", "kube-scheduler-6d5f4c7b8", "ReplicaSet", "v1.20.2", "one", true),
                staticPod("understudy-kube-scheduler-one", "kube-scheduler", "v1.20.2", "one", true)));
        if (etcdLeftATrace) {
            pods.add(staticPod("etcd-one", "etcd", "3.4.23", "one", etcdIsReady));
        }
        pods.addAll(otherPods);
        return pods;
    }

    private static Json pod(String name, String owner, String kind, String tag, String node, boolean ready) {
        String container = owner.replaceAll("-6d5f4c7b8$", "");
        return json("""
                {"metadata": {"namespace": "kube-system", "name": "%s", "labels": {"pod-template-hash": "6d5f4c7b8"},
                              "ownerReferences": [{"controller": true, "kind": "%s", "name": "%s"}]},
                 "spec": {"nodeName": "%s", "containers": [{"name": "%s", "image": "example.test/%s:%s"}]},
                 "status": {"hostIP": "%s", "conditions": [{"type": "Ready", "status": "%s"}]}}
                """.formatted(name, kind, owner, node, container, container, tag, node, ready ? "True" : "False"));
    }

    private static Json staticPod(String name, String container, String tag, String node, boolean ready) {
        return staticPod(name, container, tag, node, ready, "[{\"state\": {\"running\": {}}}]");
    }

    private static Json staticPod(
            String name, String container, String tag, String node, boolean ready, String containers) {
        return json("""
                {"metadata": {"namespace": "kube-system", "name": "%s",
                              "annotations": {"kubernetes.io/config.mirror": "1", "kubernetes.io/config.source": "file"},
                              "ownerReferences": [{"controller": true, "kind": "Node", "name": "%s"}]},
                 "spec": {"nodeName": "%s", "containers": [{"name": "%s", "image": "example.test/%s:%s"}]},
                 "status": {"conditions": [{"type": "Ready", "status": "%s"}], "containerStatuses": %s}}
                """.formatted(name, node, node, container, container, tag, ready ? "True" : "False", containers));
    }

    private NodeSeen node() {
        String state = """
                {"node": "one", "staticCopy": false, "front": "ToPrincipal[]", "problems": [%s], "components": {%s}%s}""".formatted(
                        problems,
                        words.entrySet().stream()
                                .map(word -> "\"" + word.getKey() + "\": " + word.getValue())
                                .collect(Collectors.joining(", ")),
                        change.isEmpty() ? "" : ", \"change\": " + change);
        return new NodeSeen(
                "one",
                keeperTrouble.<Evidence<Json>>map(Evidence::unknown).orElseGet(() -> Evidence.known(json(state))),
                agent,
                Evidence.known(Stream.of(
                                running("etcd-one", "etcd", "3.4.23", true),
                                running("kube-apiserver-xkcd2", "kube-apiserver", "v1.20.2", false),
                                running("kube-scheduler-6d5f4c7b8-vwxz2", "kube-scheduler", "v1.20.2", false),
                                running("kube-proxy-bcdf4", "kube-proxy", "v1.20.2", false))
                        .filter(pod -> etcdLeftATrace || !pod.name().equals("etcd-one"))
                        .toList()),
                diskTrouble
                        .<Evidence<Map<ComponentName, Evidence<SavedSlots>>>>map(Evidence::unknown)
                        .orElseGet(() -> Evidence.known(slots)),
                Evidence.known(kubeletRuns),
                Evidence.known("v1.20.2"),
                Evidence.known(Optional.of(CLUSTER)),
                Evidence.known(new NodeCertificates(
                        List.of(leaf("/etc/kubernetes/etcd/server.crt", "", "CN=etcd", EXPIRES)),
                        List.of(leaf("kubelet's client", "", "CN=system:node:one", EXPIRES)))));
    }

    private static DatedCertificate leaf(String holder, String entry, String subject, Instant end) {
        return new DatedCertificate(holder, entry, subject, end, false, "CN=kubernetes-ca", Instant.EPOCH);
    }

    private static RuntimePod running(String name, String container, String tag, boolean isStatic) {
        return new RuntimePod(
                "kube-system",
                name,
                "uid-" + name,
                isStatic,
                RuntimePod.State.READY,
                NOW.minusSeconds(900),
                0,
                List.of(new RuntimeContainer(
                        container,
                        "example.test/" + container + ":" + tag,
                        RuntimeContainer.State.RUNNING,
                        0,
                        NOW.minusSeconds(900),
                        Optional.empty())));
    }

    public static Json json(String text) {
        try {
            return JsonText.read(text);
        } catch (MalformedJson e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
