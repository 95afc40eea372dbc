package dev.ouroboros.upgrade.decide;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.upgrade.merge.Conflict;
import java.util.List;

/**
 * The state of a stage.
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
     * @param conflicts what the cluster and the target both changed, without a choice between them
     * @param rollout of its pods, once it is not to be written
     * @param held whether nodes that are away hold that up
     */
    public record ObjectSeen(
            ObjectName name, boolean differs, List<Conflict> conflicts, Rollout rollout, HeldRollout held) {
        public ObjectSeen {
            conflicts = List.copyOf(conflicts);
        }
    }
}
