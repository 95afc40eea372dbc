package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.checkpoint.Revision;

/** A checkpoint with its revision, which is a digest of all of it: made once, not at each decision. */
record Revised(Checkpoint checkpoint, Revision revision) {
    static Revised of(Checkpoint checkpoint) {
        return new Revised(checkpoint, checkpoint.revision());
    }
}
