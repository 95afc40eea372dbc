package dev.ouroboros.facts;

import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Optional;

/**
 * A version of an API that was served once.
 *
 * @param apiVersion as in {@code policy/v1beta1}
 * @param resource its plural name, as in paths
 * @param removedIn the first minor version without it
 * @param successor the apiVersion to use instead; empty when the kind is gone
 */
public record RemovedApi(
        String apiVersion,
        String kind,
        String resource,
        KubernetesVersion removedIn,
        Optional<String> successor,
        String source) {
    /** What to write instead, as the end of a sentence. */
    public String advice() {
        return successor.map(version -> "use " + version).orElse("there is no successor: " + source);
    }
}
