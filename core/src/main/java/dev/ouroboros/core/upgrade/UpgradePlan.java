package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.component.Component;
import dev.ouroboros.core.version.KubernetesVersion;
import java.util.List;

/**
 * How a cluster becomes another version, and what stands against it.
 *
 * @param now the oldest API server's
 * @param members all instances whose version is known
 * @param steps in their order; they end before the first one that is forbidden
 * @param findings the worst first
 * @param unjudged what changes and of which the findings say nothing
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

    /** With what a living cluster cannot take alone: of an upgrade that is under way, nothing else is asked of another target. */
    public UpgradePlan ofLivingCluster() {
        return new UpgradePlan(
                now,
                target,
                members,
                steps,
                findings.stream()
                        .filter(finding -> finding.check().equals(LivingJudge.CHECK))
                        .toList(),
                unjudged,
                kubelets);
    }

    public boolean isBlocked() {
        return findings.stream().anyMatch(finding -> finding.severity() == PlanFinding.Severity.BLOCKING);
    }

    /** What an instance is to be: Kubernetes' are the target's, the others stay. */
    public KubernetesVersion toBe(ClusterMember member) {
        boolean isKubernetes = member.component().isKubernetes();
        boolean stays =
                member.component() == Component.KUBELET && member.version().compareTo(target) > 0;
        return isKubernetes && !stays ? target : member.version();
    }
}
