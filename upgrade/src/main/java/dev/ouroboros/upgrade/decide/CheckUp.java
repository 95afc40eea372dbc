package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.facts.RemovedApi;
import dev.ouroboros.facts.RemovedApis;
import dev.ouroboros.facts.SkewPolicy;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.upgrade.decide.ClusterSeen.DeprecatedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Those checks of an upgrade plan that matter for a cluster even when no upgrade is planned. Pure. */
public final class CheckUp {
    public static final String VERSIONS = "versions";
    public static final String SKEW = "skew";
    public static final String NODES = "nodes";
    public static final String REMOVED_APIS = "removed-apis";
    public static final String FLAGS = "flags";

    private final ClusterSeen seen;
    private final Members members;

    public CheckUp(ClusterSeen seen) {
        this.seen = seen;
        this.members = Members.of(seen);
    }

    /** What runs, as in {@code kubelet v1.20.2 on node-1}, in order. */
    public List<String> versions() {
        return members.found().stream().map(ClusterMember::describe).toList();
    }

    /** What is wrong, or could not be found out. */
    public List<PlanFinding> findings() {
        List<PlanFinding> findings = new ArrayList<>(members.silent());
        new Skew(SkewPolicy.load())
                .forbidden(members.found())
                .forEach(pair -> findings.add(blocking(
                        SKEW,
                        pair.member().describe(),
                        pair.describe(),
                        "Kubernetes does not support the two together ("
                                + pair.rule().source() + ")",
                        "bring the older one to the version of the newer one; ouro upgrade plan has the order")));
        findings.addAll(NodeJudge.judge(seen, Route.none()));
        findings.addAll(requests());
        findings.addAll(flags());
        return List.copyOf(findings);
    }

    private List<PlanFinding> requests() {
        List<PlanFinding> found = new ArrayList<>(seen.unknownRequests(REMOVED_APIS));
        seen.deprecatedRequests().stream()
                // The controller manager watches every API, and empties deleted namespaces.
                .filter(request -> !request.isHousekeeping())
                .filter(request ->
                        KubernetesVersion.parse(request.removedRelease()).isPresent())
                .map(request -> warning(
                        REMOVED_APIS,
                        request.apiVersion() + " " + request.resource(),
                        "a client has used it since the API server's start ("
                                + String.join(", ", new TreeSet<>(request.verbs())) + "); it is gone in "
                                + request.removedRelease(),
                        "that client fails from then on",
                        "find who it is by the audit annotation k8s.io/deprecated and update it" + advice(request)))
                .forEach(found::add);
        return found;
    }

    /** Without a version, the skew's check says already that nothing is known. */
    private List<PlanFinding> flags() {
        return switch (seen.workloads()) {
            case Unknown<List<Manifest>>(String why) ->
                List.of(unknown(FLAGS, "control plane", "its command lines are not known: " + why, ""));
            case Known<List<Manifest>>(List<Manifest> workloads) ->
                seen.server() instanceof Known<KubernetesVersion>(KubernetesVersion server)
                        ? LeavingFlags.of(workloads, server)
                        : List.of();
        };
    }

    private static String advice(DeprecatedRequest request) {
        return KubernetesVersion.parse(request.removedRelease())
                .flatMap(release -> RemovedApis.load().ofResource(request.apiVersion(), request.resource(), release))
                .map(RemovedApi::advice)
                .map(advice -> ": " + advice)
                .orElse("");
    }
}
