package dev.ouroboros.model.checkpoint;

import java.util.Optional;

/**
 * The whole, verified checkpoints of one component on disk. A torn or foreign one is not among them.
 *
 * @param candidate saved, not yet proven
 * @param lastGood proven healthy for the soak time
 */
public record Slots(Optional<Revision> candidate, Optional<Revision> lastGood) {
    public static final Slots NONE = new Slots(Optional.empty(), Optional.empty());

    /** What an understudy is made from. A candidate counts only before anything was ever proven: it is better than nothing. */
    public Optional<Revision> best() {
        return lastGood.or(() -> candidate);
    }
}
