package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.facts.RemovedApi;
import dev.ouroboros.facts.RemovedApis;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import dev.ouroboros.upgrade.decide.ClusterSeen.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** API versions that the target does not serve and that somebody still uses: clients, manifests, stored objects. */
final class ApiJudge {
    private static final String CHECK = "removed-apis";

    private final ClusterSeen seen;
    private final KubernetesVersion target;
    private final RemovedApis removed;
    private final List<PlanFinding> findings = new ArrayList<>();

    private ApiJudge(ClusterSeen seen, KubernetesVersion target, RemovedApis removed) {
        this.seen = seen;
        this.target = target;
        this.removed = removed;
    }

    static List<PlanFinding> judge(ClusterSeen seen, Intent intent, RemovedApis removed) {
        ApiJudge judge = new ApiJudge(seen, intent.served(), removed);
        judge.requests();
        judge.manifests(intent);
        judge.stored();
        judge.definitions();
        return judge.findings;
    }

    /** The gauge has no timestamps: a request at any time since the API server's start counts. */
    private void requests() {
        findings.addAll(seen.unknownRequests(CHECK));
        seen.deprecatedRequests().stream().filter(this::isGone).forEach(request -> findings.add(request(request)));
    }

    private PlanFinding request(DeprecatedRequest request) {
        String object = request.apiVersion() + " " + request.resource();
        String next = "find who it is by the audit annotation k8s.io/deprecated and update it ("
                + removed.ofResource(request.apiVersion(), request.resource(), target)
                        .map(RemovedApi::advice)
                        .orElse("see the deprecation guide")
                + "); the gauge forgets it when the API server is restarted";
        if (request.isHousekeeping()) {
            return warning(
                    CHECK,
                    object,
                    "it was listed and watched since the API server's start"
                            + (request.verbs().contains("DELETECOLLECTION") ? ", and deleted in a namespace," : ",")
                            + " and is gone in " + request.removedRelease(),
                    "nothing, if that was the controller manager, which watches all that there is and empties namespaces; else"
                            + " that client fails",
                    next);
        }
        return blocking(
                CHECK,
                object,
                "a client has used it since the API server's start (apiserver_requested_deprecated_apis"
                        + (request.verbs().isEmpty() ? "" : "; " + String.join(", ", new TreeSet<>(request.verbs())))
                        + "), and it is gone in " + request.removedRelease(),
                "that client fails from then on",
                next);
    }

    private boolean isGone(DeprecatedRequest request) {
        return KubernetesVersion.parse(request.removedRelease())
                .map(release -> release.compareTo(target.minorVersion()) <= 0)
                .orElseGet(() -> removed.ofResource(request.apiVersion(), request.resource(), target)
                        .isPresent());
    }

    private void manifests(Intent intent) {
        if (intent.target() instanceof Unknown<List<Manifest>>(String why)
                && intent.problems().isEmpty()) {
            findings.add(unknown(CHECK, "manifests", why, ""));
        }
        for (Manifest manifest : intent.target().orElse(List.of())) {
            removed.ofKind(manifest.apiVersion(), manifest.kind(), target)
                    .ifPresent(api -> findings.add(blocking(
                            CHECK,
                            manifest.described(),
                            manifest.where() + " has it as " + api.apiVersion() + ", gone in "
                                    + api.removedIn().minorName(),
                            "it cannot be applied",
                            api.advice())));
        }
    }

    /** A server reads what it stored long ago for as long as it knows the type; that ends without a warning. */
    private void stored() {
        if (seen.stored() instanceof Unknown<List<Stored>>(String why)) {
            findings.add(unknown(CHECK, "stored objects", why, "ouro snapshot save FILE, then --snapshot FILE"));
        }
        for (Stored stored : seen.stored().orElse(List.of())) {
            String resource = stored.resource().replaceFirst("\\..*", "");
            removed.ofResource(stored.apiVersion(), resource, target)
                    .ifPresent(api -> findings.add(warning(
                            CHECK,
                            stored.resource(),
                            stored.objects() + " stored as " + stored.apiVersion() + ", gone in "
                                    + api.removedIn().minorName(),
                            api.successor().isPresent()
                                    ? "a server reads them only for as long as it still knows that version"
                                    : "nothing reads them any more",
                            api.successor().isPresent()
                                    ? "with the last server before that version, which stores another one, write each of them once: kubectl get "
                                            + resource
                                            + " -A -o json | kubectl replace -f -"
                                    : api.advice())));
        }
    }

    private void definitions() {
        if (seen.definitions() instanceof Unknown<List<Json>>(String why)) {
            findings.add(unknown(CHECK, "CustomResourceDefinitions", why, ""));
        }
        for (Json definition : seen.definitions().orElse(List.of())) {
            List<String> served = definition.at("spec", "versions").items().stream()
                    .flatMap(version -> version.at("name").text().stream())
                    .toList();
            definition.at("status", "storedVersions").items().stream()
                    .flatMap(version -> version.text().stream())
                    .filter(version -> !served.isEmpty() && !served.contains(version))
                    .forEach(
                            version -> findings.add(
                                    warning(
                                            CHECK,
                                            "CustomResourceDefinition " + new Manifest("API", definition).name(),
                                            "has objects stored as " + version + ", which it does not define any more",
                                            "those objects cannot be read",
                                            "define the version again, write its objects anew, then remove it from status.storedVersions")));
        }
    }
}
