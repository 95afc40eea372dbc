package dev.ouroboros.upgrade.plan;

import dev.ouroboros.cluster.ApiServers;
import dev.ouroboros.cluster.ClusterClient;
import dev.ouroboros.cluster.ClusterReader;
import dev.ouroboros.facts.VersionFacts;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.front.ServerAddress;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Asks an API server what an upgrade must know. Every answer is a value or unknown with its reason. */
final class ClusterLook {
    private static final String KUBE_SYSTEM = "/namespaces/kube-system/";
    private static final Pattern GAUGE =
            Pattern.compile("apiserver_requested_deprecated_apis\\{.*\\} (?:1|1\\.0|1e\\+00)");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final List<String> ROLES =
            List.of("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");

    /** The labels that two metrics of the same requests share. */
    private static final List<String> SAME = List.of("group", "version", "resource", "subresource");

    private final ClusterClient client;
    private final ClusterReader reader;

    private final Function<ServerAddress, ClusterClient> connect;

    ClusterLook(ClusterClient client) {
        this(client, client::of);
    }

    /** @param connect connects to one server of the cluster */
    ClusterLook(ClusterClient client, Function<ServerAddress, ClusterClient> connect) {
        this.client = client;
        this.connect = connect;
        this.reader = new ClusterReader(client);
    }

    Evidence<KubernetesVersion> version() {
        return reader.get("/version").flatMap(version -> {
            String text = version.at("gitVersion").text().orElse("");
            return KubernetesVersion.parse(text)
                    .<Evidence<KubernetesVersion>>map(Evidence::known)
                    .orElseGet(() -> Evidence.unknown("the API server says that its version is '" + text + "'"));
        });
    }

    Evidence<List<Json>> nodes() {
        return list("/api/v1/nodes", "v1", "Node");
    }

    Evidence<List<Json>> pods() {
        return list("/api/v1" + KUBE_SYSTEM + "pods", "v1", "Pod");
    }

    Evidence<List<Manifest>> workloads() {
        List<Manifest> all = new ArrayList<>();
        for (Map.Entry<String, String> kind :
                new TreeMap<>(Map.of("DaemonSet", "daemonsets", "Deployment", "deployments")).entrySet()) {
            switch (list("/apis/apps/v1" + KUBE_SYSTEM + kind.getValue(), "apps/v1", kind.getKey())) {
                case Unknown<List<Json>>(String why) -> {
                    return Evidence.unknown(why);
                }
                case Known<List<Json>>(List<Json> objects) ->
                    objects.forEach(object -> all.add(new Manifest("API", object)));
            }
        }
        return Evidence.known(List.copyOf(all));
    }

    /** Asked in a version that is not deprecated: this request must not count as a finding. */
    Evidence<List<Json>> disruptionBudgets(KubernetesVersion server) {
        Optional<String> version = VersionFacts.supported().contains(server)
                ? VersionFacts.of(server).apiVersion("PodDisruptionBudget")
                : Optional.of("policy/v1");
        return version.map(known -> list("/apis/" + known + "/poddisruptionbudgets", known, "PodDisruptionBudget"))
                .orElseGet(() -> Evidence.unknown("no data for " + server));
    }

    Evidence<List<Json>> definitions() {
        return list(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition");
    }

    /** Each server counts the requests of its own clients: whoever is asked through the kubeconfig, and each that the Service names. */
    Map<String, Evidence<List<DeprecatedRequest>>> requests() {
        Map<String, Evidence<List<DeprecatedRequest>>> all = new TreeMap<>();
        all.put("clients", requests(reader));
        switch (ApiServers.named(client)) {
            case Unknown<SortedSet<ServerAddress>>(String why) ->
                all.put("clients of other API servers", Evidence.unknown(why));
            case Known<SortedSet<ServerAddress>>(SortedSet<ServerAddress> servers) -> {
                if (servers.size() > 1) {
                    servers.forEach(server -> all.put("clients of API server " + server, requests(server)));
                }
            }
        }
        return all;
    }

    private Evidence<List<DeprecatedRequest>> requests(ServerAddress server) {
        if (!client.isOfTheClusterItself()) {
            return Evidence.unknown(
                    "the kubeconfig is one of a proxy, or trusts public authorities: no other address is asked with it");
        }
        try (ClusterClient one = connect.apply(server)) {
            return requests(new ClusterReader(one));
        }
    }

    private static Evidence<List<DeprecatedRequest>> requests(ClusterReader server) {
        return server.text("/metrics").map(text -> requests(text));
    }

    /** Each line of the gauge whose value is 1, with the verbs counted for the same resource. */
    static List<DeprecatedRequest> requests(String metrics) {
        List<Map<String, String>> counted = metrics.lines()
                .filter(line -> line.startsWith("apiserver_request_total{"))
                .map(ClusterLook::labels)
                .toList();
        return metrics.lines()
                .filter(line -> GAUGE.matcher(line).matches())
                .map(ClusterLook::labels)
                .map(gauge -> new DeprecatedRequest(
                        label(gauge, "group"),
                        label(gauge, "version"),
                        label(gauge, "resource"),
                        label(gauge, "removed_release"),
                        counted.stream()
                                .filter(other -> SAME.stream()
                                        .allMatch(name -> label(other, name).equals(label(gauge, name))))
                                .map(ClusterLook::verb)
                                .collect(Collectors.toSet())))
                .distinct()
                .toList();
    }

    /**
     * The deletion of a collection is counted as its HTTP method, DELETE, with scope {@code namespace}. Old servers count the deletion of
     * one object in a namespace the same way (CleanScope in k8s.io/apiserver/pkg/endpoints/metrics asked for a namespace first): because
     * the two are not told apart, the plan may only warn where it could block.
     */
    private static String verb(Map<String, String> request) {
        String verb = label(request, "verb");
        return verb.equals("DELETE") && label(request, "scope").equals("namespace") ? "DELETECOLLECTION" : verb;
    }

    private static Map<String, String> labels(String line) {
        Map<String, String> labels = new TreeMap<>();
        Matcher label = LABEL.matcher(line);
        while (label.find()) {
            labels.put(label.group(1), label.group(2));
        }
        return labels;
    }

    private static String label(Map<String, String> labels, String name) {
        return labels.getOrDefault(name, "");
    }

    /** What the kubelets of control-plane nodes say of themselves, through the API server. */
    Map<String, Evidence<Json>> summaries(Evidence<List<Json>> nodes) {
        Map<String, Evidence<Json>> summaries = new TreeMap<>();
        for (Json node : nodes.orElse(List.of())) {
            Json labels = node.at("metadata", "labels");
            Optional<String> name = node.at("metadata", "name").text();
            if (name.isPresent()
                    && ROLES.stream().anyMatch(role -> !labels.at(role).isNull())) {
                summaries.put(name.get(), reader.get("/api/v1/nodes/" + name.get() + "/proxy/stats/summary"));
            }
        }
        return summaries;
    }

    /** Items of a list omit apiVersion and kind; they are added here. */
    private Evidence<List<Json>> list(String path, String apiVersion, String kind) {
        return reader.get(path)
                .map(list -> list.at("items").items().stream()
                        .<Json>map(item -> new Json.Fields(item.fields())
                                .with("apiVersion", Json.text(apiVersion))
                                .with("kind", Json.text(kind)))
                        .toList());
    }
}
