package dev.ouroboros.core.checkpoint;

import java.util.Set;

/**
 * The fields that a part of a pod may have.
 *
 * @param kept in a checkpoint
 * @param dropped known, and without meaning for an understudy, or set for it anew
 */
record PodFields(Set<String> kept, Set<String> dropped) {
    PodFields {
        kept = Set.copyOf(kept);
        dropped = Set.copyOf(dropped);
    }

    boolean knows(String field) {
        return kept.contains(field) || dropped.contains(field);
    }

    /** For keys of a map, where a kept name may be the beginning: it ends with a slash then. */
    boolean keepsKey(String key) {
        return kept.contains(key) || kept.stream().anyMatch(prefix -> prefix.endsWith("/") && key.startsWith(prefix));
    }

    /** The parts of a pod that rules know. */
    enum Part {
        POD("pod"),
        CONTAINER("container"),
        VOLUME("volume"),
        PROJECTION("projection"),
        ENV_SOURCE("envSource"),
        ENV_FROM_SOURCE("envFromSource"),
        LIFECYCLE("lifecycle"),
        ANNOTATION("annotation");

        private final String key;

        Part(String key) {
            this.key = key;
        }

        String key() {
            return key;
        }
    }
}
