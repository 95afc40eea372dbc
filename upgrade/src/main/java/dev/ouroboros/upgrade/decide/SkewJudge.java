package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What the version skew policy has against a route. */
final class SkewJudge {
    /** Of what no upgrade may do, whatever has begun: skip a minor version, or go back. */
    static final String ROUTE = "route";

    private static final String CHECK = "skew";

    private SkewJudge() {}

    static List<PlanFinding> judge(Route route, Members members, KubernetesVersion target) {
        List<PlanFinding> findings = new ArrayList<>();
        KubernetesVersion now = members.server().orElse(target);
        route.refusal().ifPresent(refusal -> findings.add(refused(refusal, now, target)));
        route.forbidden().forEach(pair -> findings.add(forbidden(pair, members, now)));
        boolean isOlderPatch = target.minorVersion().equals(now.minorVersion()) && target.compareTo(now) < 0;
        if (isOlderPatch) {
            findings.add(warning(
                    CHECK,
                    Component.API_SERVER.id(),
                    now + " runs, " + target + " is older",
                    "defects that were fixed come back",
                    "ouro upgrade rollback is the way back from an upgrade"));
        }
        return findings;
    }

    private static PlanFinding refused(Route.Refusal refusal, KubernetesVersion now, KubernetesVersion target) {
        return switch (refusal) {
            case Route.Refusal.Downgrade() ->
                blocking(
                        ROUTE,
                        Component.API_SERVER.id(),
                        now + " runs, " + target + " is older",
                        "an older API server may not read what the newer one has written",
                        "ouro upgrade rollback, which goes back to the state before an upgrade");
            case Route.Refusal.Jump(List<KubernetesVersion> through) ->
                blocking(
                        ROUTE,
                        Component.API_SERVER.id(),
                        "from " + now + " to " + target + " is more than one minor version",
                        "no minor version of an API server may be skipped: what it migrates would be missing",
                        "one after another: "
                                + through.stream()
                                        .map(version -> version.equals(target) ? version.number() : version.minorName())
                                        .collect(Collectors.joining(", ")));
        };
    }

    private static PlanFinding forbidden(SkewPair pair, Members members, KubernetesVersion server) {
        boolean isSoNow =
                members.found().contains(pair.member()) && members.found().contains(pair.than());
        boolean isKubelet = pair.member().component() == Component.KUBELET;
        boolean isOlder = pair.member().version().compareTo(pair.than().version()) < 0;
        return blocking(
                CHECK,
                isKubelet ? "Node " + pair.member().place() : pair.member().describe(),
                pair.describe() + (isSoNow ? "; it is so already" : "; it would be so on the way"),
                "Kubernetes does not support the two together (" + pair.rule().source() + ")",
                isOlder
                        ? "first bring " + pair.member().component().id() + " to " + server.minorName()
                                + ", the version of the API server now"
                        : "first bring " + pair.than().component().id() + " to "
                                + pair.member().version().minorName());
    }
}
