package dev.ouroboros.core.upgrade;

import dev.ouroboros.core.change.Rollout;
import dev.ouroboros.core.merge.Conflict;
import java.util.List;

/**
 * A stage as it is.
 *
 * @param objects those of the target
 */
public record StageSeen(List<ObjectSeen> objects) {
    public StageSeen {
        objects = List.copyOf(objects);
    }

    /**
     * An object of the target.
     *
     * @param differs whether it is to be written
     * @param conflicts what the cluster and the target both changed, and nobody has chosen
     * @param rollout of its pods, as far as the object knows
     */
    public record ObjectSeen(ObjectName name, boolean differs, List<Conflict> conflicts, Rollout rollout) {
        public ObjectSeen {
            conflicts = List.copyOf(conflicts);
        }
    }
}
