package dev.ouroboros.keeper.kubelet.decide;

import dev.ouroboros.model.kubelet.KubeletGeneration;
import java.util.SortedSet;

/** What is done on a node for its kubelet. Each may be done again. */
public sealed interface KubeletAction {
    record Nothing() implements KubeletAction {}

    /** Writes a generation to the disk, and whatever runs goes on. */
    record Stage(KubeletGeneration generation) implements KubeletAction {}

    /**
     * Tells the guard to try one.
     *
     * @param isReady whether the Node is before that, or was before the trial that this one ends
     */
    record Try(String generation, boolean isReady) implements KubeletAction {}

    /** Removes one that does not run and is not wished; how it ended is known apart from it. */
    record Forget(String generation) implements KubeletAction {}

    /** Removes that trials of these failed: they are tried again when they are wished again. */
    record ForgetFailures(SortedSet<String> generations) implements KubeletAction {}

    /** Tells the guard that the one which it tries must not stay. */
    record Condemn(String generation, String reason) implements KubeletAction {}
}
