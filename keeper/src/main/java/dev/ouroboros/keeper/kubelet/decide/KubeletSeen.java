package dev.ouroboros.keeper.kubelet.decide;

import dev.ouroboros.model.kubelet.KubeletGeneration;
import dev.ouroboros.model.kubelet.KubeletLayout;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What there is of a node's kubelet, while the API answers.
 *
 * @param base the generation with which the node was made; empty where it was made without generations
 * @param current the generation that starts
 * @param started the generation that was started last, if that is known
 * @param trial the generation that the guard is to try, or tries
 * @param generations names of those that are on the disk
 * @param outcomes of trials, by generation
 * @param programs digests of the programs that were brought
 * @param wellFor how long the guard has found the kubelet that it tries to be well while the API answered; empty when it does not
 * @param node what the API says of this node
 */
public record KubeletSeen(
        Optional<KubeletGeneration> base,
        String current,
        Optional<String> started,
        Optional<String> trial,
        SortedSet<String> generations,
        SortedMap<String, String> outcomes,
        SortedSet<String> programs,
        Optional<Duration> wellFor,
        NodeView node) {
    private static final String FAILED = "failed";

    /**
     * This machine's Node.
     *
     * @param wish the text of its annotation; empty where there is none
     * @param isReady by its condition
     * @param reports whether it is Ready, and its kubelet has said so since it was started last
     * @param wasReady whether it was Ready when the trial was begun, or the last one if no kubelet has said anything since its end
     */
    public record NodeView(String wish, boolean isReady, boolean reports, boolean wasReady) {}

    /** Whether a generation starts and was started. */
    boolean isRunning(String generation) {
        return current.equals(generation) && started.equals(Optional.of(generation));
    }

    /** Whether it starts, or was started last. */
    boolean isNamed(String generation) {
        return current.equals(generation) || started.equals(Optional.of(generation));
    }

    /** Why a trial of this generation failed, if it did. */
    Optional<String> failure(String generation) {
        return Optional.ofNullable(outcomes.get(generation))
                .filter(outcome -> outcome.startsWith(FAILED))
                .map(outcome -> outcome.substring(FAILED.length()).strip());
    }

    /** Whether its directory is on the disk. */
    boolean has(String generation) {
        return generation.equals(KubeletLayout.BASE) || generations.contains(generation);
    }
}
