package dev.ouroboros.upgrade.decide;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.upgrade.merge.Conflict;
import java.util.List;
import java.util.Map;

/** What an upgrade does next. Each step can be repeated after an interruption. */
public sealed interface Step {
    /** Does work that cannot be seen in the cluster, and marks it as done. */
    record Perform(UpgradeMilestone mark) implements Step {}

    /** Writes objects, each under the resource version that it was read with. */
    record Write(UpgradeStage stage, List<ObjectName> objects) implements Step {
        public Write {
            objects = List.copyOf(objects);
        }
    }

    /** @param why what it waits for */
    record Wait(UpgradeStage stage, String why) implements Step {}

    /** Deletes a pod of an earlier template, which Kubernetes does not replace because other nodes are away. */
    record Replace(ObjectName object, HeldRollout.Next next) implements Step {}

    /** A rollout has ended badly. */
    record Stop(UpgradeStage stage, ObjectName object, String why) implements Step {}

    /** Conflicts need a choice. */
    record Choose(Map<ObjectName, List<Conflict>> conflicts) implements Step {
        public Choose {
            conflicts = Map.copyOf(conflicts);
        }
    }

    record Finished() implements Step {}
}
