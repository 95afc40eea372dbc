package dev.ouroboros.render.lint;

import dev.ouroboros.model.checkpoint.StaticPodFinding;
import java.util.Comparator;

/**
 * A rule that a manifest breaks.
 *
 * @param object as in {@code DaemonSet kube-system/kube-apiserver}
 * @param field path in the manifest
 */
public record LintFinding(String file, int line, String object, String field, StaticPodFinding finding) {
    static final Comparator<LintFinding> ORDER = Comparator.comparing(LintFinding::file)
            .thenComparingInt(LintFinding::line)
            .thenComparing(LintFinding::field)
            .thenComparing(found -> found.finding().rule().id());
}
