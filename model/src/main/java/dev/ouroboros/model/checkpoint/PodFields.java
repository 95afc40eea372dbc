package dev.ouroboros.model.checkpoint;

import java.util.Set;

/**
 * The fields that a part of a pod may have.
 *
 * @param kept in a checkpoint
 * @param dropped known, but without meaning for an understudy or set anew for it
 */
record PodFields(Set<String> kept, Set<String> dropped) {
    PodFields {
        kept = Set.copyOf(kept);
        dropped = Set.copyOf(dropped);
    }

    boolean knows(String field) {
        return kept.contains(field) || dropped.contains(field);
    }

    /** Whether a key of a map is kept; a kept name that ends with a slash is a prefix. */
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
