package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.checkpoint.StaticPodFinding;
import dev.ouroboros.model.checkpoint.StaticPodRule;
import dev.ouroboros.model.checkpoint.StaticPodRules;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.manifest.Manifest;
import dev.ouroboros.model.version.KubernetesVersion;
import dev.ouroboros.render.lint.Lint;
import dev.ouroboros.render.lint.LintFinding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Whether the target's pods can run as static pods on every kubelet of the cluster, and on kubelets of the target's version. */
final class StaticPodJudge {
    private static final String CHECK = "static-pods";

    private StaticPodJudge() {}

    static List<PlanFinding> judge(ClusterSeen seen, Intent intent, Members members) {
        List<Manifest> manifests = new ArrayList<>(intent.target().orElse(List.of()));
        if (!(intent.target() instanceof Known)) {
            manifests.addAll(seen.workloads().orElse(List.of()));
        }
        SortedSet<KubernetesVersion> kubelets = new TreeSet<>();
        members.found().stream()
                .filter(member -> member.component() == Component.KUBELET)
                .forEach(member -> kubelets.add(member.version().minorVersion()));
        kubelets.add(intent.version().minorVersion());
        StaticPodRules rules = StaticPodRules.load();
        List<PlanFinding> findings = new ArrayList<>();
        List<String> said = new ArrayList<>();
        for (KubernetesVersion kubelet : kubelets) {
            Lint lint = new Lint(rules, kubelet, Lint.Scope.ASKING);
            manifests.stream()
                    .filter(Manifest::asksForCheckpoint)
                    .forEach(manifest -> lint.add(
                            manifest.where(), new String(JsonText.write(manifest.object()), StandardCharsets.UTF_8)));
            for (LintFinding found : lint.findings()) {
                // What an older kubelet refuses, a newer one refuses too.
                if (!said.contains(
                        found.object() + found.field() + found.finding().rule().id())) {
                    said.add(found.object()
                            + found.field()
                            + found.finding().rule().id());
                    findings.add(finding(found, kubelet));
                }
            }
        }
        return findings;
    }

    private static PlanFinding finding(LintFinding found, KubernetesVersion kubelet) {
        StaticPodFinding finding = found.finding();
        boolean isRefused = finding.rule().level() == StaticPodRule.Level.REFUSED;
        return new PlanFinding(
                isRefused ? PlanFinding.Severity.BLOCKING : PlanFinding.Severity.WARNING,
                CHECK,
                found.object(),
                found.file() + ": " + found.field() + " " + finding.what(kubelet) + " (kubelet " + kubelet.minorName()
                        + ")",
                isRefused
                        ? "the keeper makes no checkpoint of it: after a power cut it does not come back"
                        : "there are cases in which its understudy does not start",
                finding.rule().next());
    }
}
