package dev.ouroboros.host.decide;

import dev.ouroboros.model.component.JoiningObjects;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Nearest;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.lint.ManifestFile;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What the machines of a pool are to be. A pool makes no control-plane node: a kubelet may not give itself that label, and an administrator does.
 *
 * @param labels that the kubelet gives its Node
 * @param taints that the Node has from its first moment, {@code KEY=VALUE:EFFECT}
 * @param kubelet fields of its KubeletConfiguration, by name
 */
public record NodePool(SortedMap<String, String> labels, List<String> taints, Map<String, Object> kubelet) {
    /** The pool of a machine that was given none. */
    public static final NodePool NONE = new NodePool(new TreeMap<>(), List.of(), Map.of());

    private static final String LABELS = "labels";
    private static final String TAINTS = "taints";
    private static final String KUBELET = "kubelet";
    private static final List<String> FIELDS = List.of(KUBELET, LABELS, TAINTS);

    /** Fields that depend on the machine, or that joining itself sets. */
    private static final Set<String> NOT_OF_A_POOL = Set.of(
            "apiVersion",
            "authentication",
            "authorization",
            "cgroupDriver",
            "cgroupRoot",
            "containerRuntimeEndpoint",
            "kind",
            "registerNode",
            "rotateCertificates",
            "serverTLSBootstrap",
            "staticPodPath");

    /** Labels of Kubernetes' own names that a kubelet may set, but for those of one machine: {@code kubeletLabels}, {@code kubeletLabelNamespaces} in staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go. */
    private static final Set<String> ALLOWED_LABELS = Set.of(
            "beta.kubernetes.io/instance-type",
            "failure-domain.beta.kubernetes.io/region",
            "failure-domain.beta.kubernetes.io/zone",
            "node.kubernetes.io/instance-type",
            "topology.kubernetes.io/region",
            "topology.kubernetes.io/zone");

    private static final Pattern ALLOWED_NAMESPACE = Pattern.compile("(.+\\.)?(kubelet|node)\\.kubernetes\\.io/.+");
    private static final Pattern NAMESPACE_OF_KUBERNETES = Pattern.compile("(.+\\.)?(kubernetes|k8s)\\.io/.+");
    private static final String NAME = "[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?";
    private static final String KEY = "([a-z0-9.-]{1,253}/)?" + NAME;
    private static final Pattern LABEL_KEY = Pattern.compile(KEY);
    private static final Pattern LABEL_VALUE = Pattern.compile("(" + NAME + ")?");
    private static final Pattern TAINT =
            Pattern.compile(KEY + "(=(" + NAME + ")?)?:(NoSchedule|PreferNoSchedule|NoExecute)");
    private static final String EDIT = "mend it: kubectl -n kube-system edit configmap " + JoiningObjects.NAME;

    public NodePool {
        taints = List.copyOf(taints);
        kubelet = Map.copyOf(kubelet);
    }

    /**
     * A pool of the cluster. What it does not say is as in {@value JoiningObjects#DEFAULT_POOL}.
     *
     * @param data of the ConfigMap {@value JoiningObjects#NAME}
     * @param problems to which is added what is wrong with it
     */
    public static NodePool of(String name, Map<String, String> data, List<Problem> problems) {
        String key = JoiningObjects.POOL_PREFIX + name;
        String text = data.get(key);
        if (text == null) {
            List<String> pools = data.keySet().stream()
                    .filter(each -> each.startsWith(JoiningObjects.POOL_PREFIX))
                    .map(each -> each.substring(JoiningObjects.POOL_PREFIX.length()))
                    .sorted()
                    .toList();
            problems.add(new Problem(
                    ErrorCode.NOT_FOUND,
                    "--pool",
                    "the cluster has no pool " + name,
                    "one of " + String.join(", ", pools),
                    Nearest.to(name, pools)
                                    .map(nearest -> "did you mean " + nearest + "? ")
                                    .orElse("")
                            + "name one of these, or add it: kubectl -n kube-system edit configmap "
                            + JoiningObjects.NAME));
            return NONE;
        }
        Reader reader = reader(name, problems);
        Map<String, Json> own = reader.fields(text);
        Map<String, Json> usual = name.equals(JoiningObjects.DEFAULT_POOL)
                ? own
                : reader(JoiningObjects.DEFAULT_POOL, problems)
                        .fields(data.getOrDefault(JoiningObjects.POOL_PREFIX + JoiningObjects.DEFAULT_POOL, "{}"));
        return new NodePool(
                reader.labels(merged(usual, own, LABELS)),
                reader.taints((own.containsKey(TAINTS) ? own : usual).getOrDefault(TAINTS, Json.absent())),
                reader.kubelet(merged(usual, own, KUBELET)));
    }

    private static Reader reader(String pool, List<Problem> problems) {
        return new Reader(
                "ConfigMap kube-system/" + JoiningObjects.NAME + ", " + JoiningObjects.POOL_PREFIX + pool, problems);
    }

    private static Map<String, Json> merged(Map<String, Json> usual, Map<String, Json> own, String field) {
        Map<String, Json> merged =
                new LinkedHashMap<>(usual.getOrDefault(field, Json.absent()).fields());
        merged.putAll(own.getOrDefault(field, Json.absent()).fields());
        return merged;
    }

    private record Reader(String where, List<Problem> problems) {
        private static final Pattern DECIMAL = Pattern.compile("-?\\d{1,18}(\\.\\d{1,18})?");

        Map<String, Json> fields(String text) {
            List<ManifestFile.Document> documents = ManifestFile.read(text, where);
            if (documents.isEmpty()) {
                return Map.of();
            }
            Json pool = documents.getFirst().value();
            if (!(pool instanceof Json.Fields)) {
                problem("", "is no mapping", String.join(", ", FIELDS));
            }
            Map<String, Json> fields = pool.fields();
            requireKind(fields, LABELS, Json.Fields.class, "a mapping of names to values");
            requireKind(fields, TAINTS, Json.Items.class, "a list");
            requireKind(fields, KUBELET, Json.Fields.class, "a mapping, as in a KubeletConfiguration");
            fields.keySet().stream()
                    .filter(name -> !FIELDS.contains(name))
                    .forEach(name -> problem(name, "is no field of a pool", String.join(", ", FIELDS)));
            return fields;
        }

        /** Kubernetes takes a field without a value for one that is not there. */
        private void requireKind(Map<String, Json> fields, String name, Class<? extends Json> kind, String expected) {
            Json value = fields.getOrDefault(name, Json.absent());
            if (!value.isNull() && !kind.isInstance(value)) {
                problem(name, "is of another kind", expected);
            }
        }

        SortedMap<String, String> labels(Map<String, Json> given) {
            SortedMap<String, String> labels = new TreeMap<>();
            given.forEach((key, value) -> {
                String text = text(value);
                if (!LABEL_KEY.matcher(key).matches()
                        || !LABEL_VALUE.matcher(text).matches()) {
                    problem(LABELS, key + "=" + text + " is no label", "a label as kubectl takes it");
                } else if (NAMESPACE_OF_KUBERNETES.matcher(key).matches()
                        && !ALLOWED_NAMESPACE.matcher(key).matches()
                        && !ALLOWED_LABELS.contains(key)) {
                    problem(
                            LABELS,
                            "a kubelet may not give itself " + key,
                            "a name of your own, or below node.kubernetes.io/; the role of a node an administrator gives: kubectl label node");
                } else {
                    labels.put(key, text);
                }
            });
            return labels;
        }

        List<String> taints(Json given) {
            List<String> taints = new ArrayList<>();
            for (Json each : given.items()) {
                String taint = text(each);
                if (TAINT.matcher(taint).matches()) {
                    taints.add(taint);
                } else {
                    problem(
                            TAINTS,
                            "'" + taint + "' is no taint",
                            "KEY=VALUE:NoSchedule, PreferNoSchedule or NoExecute");
                }
            }
            return taints;
        }

        Map<String, Object> kubelet(Map<String, Json> given) {
            Map<String, Object> fields = new TreeMap<>();
            given.forEach((name, value) -> {
                if (NOT_OF_A_POOL.contains(name)) {
                    problem(KUBELET + "." + name, "is not for a pool to say", "another field of KubeletConfiguration");
                } else if (value.isNull()) {
                    problem(KUBELET + "." + name, "has no value", "a value, or no such field");
                } else {
                    fields.put(name, plain(value));
                }
            });
            return fields;
        }

        private void problem(String field, String what, String expected) {
            problems.add(new Problem(ErrorCode.INVALID_CONFIG, where + ": " + field, what, expected, EDIT));
        }

        private static String text(Json value) {
            return switch (value) {
                case Json.Text(String text) -> text;
                case Json.Numeric(String literal) -> literal;
                case Json.Bool(boolean bool) -> Boolean.toString(bool);
                case Json.Null _, Json.Fields _, Json.Items _ -> "";
            };
        }

        private static Object plain(Json value) {
            return switch (value) {
                case Json.Fields(Map<String, Json> fields) -> {
                    Map<String, Object> plain = new LinkedHashMap<>();
                    fields.forEach((name, field) -> plain.put(name, plain(field)));
                    yield plain;
                }
                case Json.Items(List<Json> items) ->
                    items.stream().map(Reader::plain).toList();
                case Json.Text(String text) -> text;
                // YAML's other notations, for example hexadecimal, are left to the kubelet, which says that it wants a
                // number.
                case Json.Numeric(String literal) ->
                    DECIMAL.matcher(literal).matches() ? new BigDecimal(literal) : literal;
                case Json.Bool(boolean bool) -> bool;
                case Json.Null _ -> "";
            };
        }
    }
}
