package dev.ouroboros.render.lint;

import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.checkpoint.StaticPodFinding;
import dev.ouroboros.model.checkpoint.StaticPodRule.Subject;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.lint.ManifestFile.Document;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Judges manifests by the rules for static pods: every pod, and every controller's template, that asks for a checkpoint. It reads nothing but the
 * manifests: what admission adds in a cluster is judged only as far as it can be foreseen.
 */
public final class Lint {
    private static final List<String> TEMPLATE = List.of("spec", "template");

    /** Where each kind has its pod. */
    private static final Map<String, List<String>> KINDS = Map.of(
            "Pod", List.of(),
            "DaemonSet", TEMPLATE,
            "Deployment", TEMPLATE,
            "StatefulSet", TEMPLATE,
            "ReplicaSet", TEMPLATE,
            "ReplicationController", TEMPLATE,
            "Job", TEMPLATE,
            "PodTemplate", List.of("template"),
            "CronJob", List.of("spec", "jobTemplate", "spec", "template"));

    private final StaticPodRules rules;
    private final KubernetesVersion kubelet;
    private final Scope scope;
    private final List<LintFinding> findings = new ArrayList<>();
    private int pods;

    /** Which pods are judged. */
    public enum Scope {
        /** Those that ask for a checkpoint. */
        ASKING,
        /** All, as if they asked. */
        ALL,
        /** Pods that are static pods already. */
        STATIC
    }

    public Lint(StaticPodRules rules, KubernetesVersion kubelet, Scope scope) {
        this.rules = rules;
        this.kubelet = kubelet;
        this.scope = scope;
    }

    /**
     * Judges a file.
     *
     * @throws dev.ouroboros.model.problem.ProblemException INVALID_CONFIG when it is not YAML
     */
    public void add(String file, String text) {
        for (Document document : ManifestFile.read(text, file)) {
            object(file, document, document.value(), "");
        }
    }

    /** Everything found so far, in the order of files and lines. */
    public List<LintFinding> findings() {
        return findings.stream().sorted(LintFinding.ORDER).toList();
    }

    /** How many pods and templates were judged so far. */
    public int pods() {
        return pods;
    }

    private void object(String file, Document document, Json object, String path) {
        String kind = object.at("kind").text().orElse("");
        if (kind.equals("List")) {
            List<Json> items = object.at("items").items();
            for (int at = 0; at < items.size(); at++) {
                object(file, document, items.get(at), ManifestFile.child(path, "items") + "[" + at + "]");
            }
        }
        List<String> place = KINDS.get(kind);
        boolean isJudged = scope != Scope.STATIC || kind.equals("Pod");
        if (place != null && isJudged) {
            String below = path;
            for (String name : place) {
                below = ManifestFile.child(below, name);
            }
            template(file, document, object, object.at(place.toArray(String[]::new)), below);
        }
    }

    private void template(String file, Document document, Json object, Json template, String path) {
        if (scope == Scope.ASKING && !PodIdentity.asks(template.at("metadata", "annotations"))) {
            return;
        }
        pods++;
        String namespace = object.at("metadata", "namespace").text().orElse("default");
        String described = object.at("kind").text().orElse("") + " " + namespace + "/"
                + object.at("metadata", "name").text().orElse("?");
        for (StaticPodFinding finding : judge(pod(template, namespace))) {
            String field = path.isEmpty() ? finding.field() : path + "." + finding.field();
            findings.add(new LintFinding(file, document.lineOf(field), described, field, finding));
        }
    }

    private List<StaticPodFinding> judge(Json pod) {
        if (scope == Scope.STATIC) {
            return rules.judge(pod, Subject.STATIC, kubelet);
        }
        List<StaticPodFinding> all = new ArrayList<>(rules.judge(pod, Subject.TEMPLATE, kubelet));
        all.addAll(rules.judge(pod, Subject.PRINCIPAL, kubelet));
        return all;
    }

    /** The template as a pod of its controller's namespace, which a template does not name. */
    private static Json pod(Json template, String namespace) {
        Json.Fields metadata = new Json.Fields(template.at("metadata").fields());
        return new Json.Fields(template.fields()).with("metadata", metadata.with("namespace", Json.text(namespace)));
    }
}
