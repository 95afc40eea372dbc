package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.version.KubernetesVersion;

/**
 * A rule that a pod breaks.
 *
 * @param field path of the field, as in {@code spec.volumes[2].projected.sources[0].serviceAccountToken}
 */
public record StaticPodFinding(StaticPodRule rule, String field) {
    /** What is wrong, as a sentence about the field; a kubelet that would refuse the manifest is named. */
    public String what(KubernetesVersion kubelet) {
        return rule.isRejectedBy(kubelet)
                ? rule.what() + "; a kubelet of " + kubelet.minorName() + " refuses it in a static pod"
                : rule.what();
    }

    /** As a problem of a pod on a node with this kubelet. */
    public Problem problem(KubernetesVersion kubelet) {
        return new Problem(ErrorCode.CANNOT_BE_STATIC, field, what(kubelet), "", rule.next());
    }
}
