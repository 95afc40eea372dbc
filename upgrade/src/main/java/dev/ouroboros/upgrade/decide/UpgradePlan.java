package dev.ouroboros.upgrade.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;

/**
 * How a cluster becomes another version, and what stands against it.
 *
 * @param now version of the oldest API server
 * @param members all instances whose version is known
 * @param steps in their order; they end before the first one that is forbidden
 * @param findings the worst first
 * @param unjudged changes of which the findings say nothing
 * @param kubelets what is to be done on a node for its kubelet, a line each
 */
public record UpgradePlan(
        KubernetesVersion now,
        KubernetesVersion target,
        List<ClusterMember> members,
        List<PlanStep> steps,
        List<PlanFinding> findings,
        List<Unjudged> unjudged,
        List<String> kubelets) {
    public UpgradePlan {
        members = List.copyOf(members);
        steps = List.copyOf(steps);
        findings = findings.stream().sorted(PlanFinding.ORDER).toList();
        unjudged = List.copyOf(unjudged);
        kubelets = List.copyOf(kubelets);
    }

    /**
     * The plan with only the findings on what a running cluster cannot take, and on a target that its API servers have no way to: while an
     * upgrade is under way, another target is checked for nothing else.
     */
    public UpgradePlan ofLivingCluster() {
        return new UpgradePlan(
                now,
                target,
                members,
                steps,
                findings.stream()
                        .filter(finding -> finding.check().equals(LivingJudge.CHECK)
                                || finding.check().equals(SkewJudge.ROUTE))
                        .toList(),
                unjudged,
                kubelets);
    }

    public boolean isBlocked() {
        return findings.stream().anyMatch(finding -> finding.severity() == PlanFinding.Severity.BLOCKING);
    }

    /** The version that an instance is to have: the target's for Kubernetes, else its own. */
    public KubernetesVersion toBe(ClusterMember member) {
        boolean isKubernetes = member.component().isKubernetes();
        boolean stays =
                member.component() == Component.KUBELET && member.version().compareTo(target) > 0;
        return isKubernetes && !stays ? target : member.version();
    }
}
