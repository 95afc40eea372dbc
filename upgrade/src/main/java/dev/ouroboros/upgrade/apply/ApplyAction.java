package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import java.util.List;

/** What an upgrade does. */
sealed interface ApplyAction {
    /** Work that cannot be seen in the cluster. */
    record Reach(UpgradeMilestone mark) implements ApplyAction {}

    /** Writes objects, each under the resource version that it was read with. */
    record Write(List<ObjectName> objects) implements ApplyAction {
        public Write {
            objects = List.copyOf(objects);
        }
    }

    /** Deletes a pod, which its DaemonSet makes anew of the present template. */
    record Replace(HeldRollout.Next next) implements ApplyAction {}

    /** Asks the keeper to try a change of the API server again that had failed before this run. */
    record Retry(ObjectName object, String why) implements ApplyAction {}
}
