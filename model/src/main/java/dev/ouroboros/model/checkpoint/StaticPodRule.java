package dev.ouroboros.model.checkpoint;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * One reason why a pod cannot be a static pod.
 *
 * @param id short name, for people and scripts
 * @param subjects kinds of manifest that the rule applies to
 * @param fields paths, with {@code []} for each element of an array
 * @param value what the whole text of the field's value must match; empty for any value
 * @param unless what the value must match to be no finding; a missing field is a finding too
 * @param check a condition that a path cannot express
 * @param since first minor version of kubelets that the rule applies to
 * @param rejectedSince first minor version whose kubelet refuses the manifest outright; an older one waits for the API server
 * @param level whether a finding refuses the checkpoint
 * @param what is wrong, as the end of a sentence that begins with the field
 * @param next what to do about it
 * @param source where the fact was found
 */
public record StaticPodRule(
        String id,
        Set<Subject> subjects,
        List<String> fields,
        Optional<Pattern> value,
        Optional<Pattern> unless,
        Optional<PodCheck> check,
        Optional<KubernetesVersion> since,
        Optional<KubernetesVersion> rejectedSince,
        Level level,
        String what,
        String next,
        String source) {
    /** What a rule is about. */
    public enum Subject {
        /** An API-managed pod, before an understudy is made of it: a field whose content can be saved is not a finding. */
        PRINCIPAL,
        /** The template of such a pod, before admission adds to it. */
        TEMPLATE,
        /** A static pod manifest as the kubelet gets it. */
        STATIC
    }

    /** How bad it is. */
    public enum Level {
        /** No checkpoint is made. */
        REFUSED,
        /** A checkpoint is made; there are cases in which its understudy does not start. */
        WARNING
    }

    public StaticPodRule {
        subjects = Set.copyOf(subjects);
        fields = List.copyOf(fields);
        if (fields.isEmpty() == check.isEmpty()) {
            throw new IllegalArgumentException(id + " needs fields or a check");
        }
        if (next.isBlank()) {
            throw new IllegalArgumentException(id + " does not say what to do");
        }
    }

    boolean isAbout(Subject subject, KubernetesVersion kubelet) {
        return subjects.contains(subject)
                && since.map(first -> isAtLeast(kubelet, first)).orElse(true);
    }

    /** Whether the kubelet itself would refuse such a manifest. */
    public boolean isRejectedBy(KubernetesVersion kubelet) {
        return rejectedSince.isPresent() && isAtLeast(kubelet, rejectedSince.get());
    }

    private static boolean isAtLeast(KubernetesVersion kubelet, KubernetesVersion first) {
        return kubelet.minorVersion().compareTo(first) >= 0;
    }
}
