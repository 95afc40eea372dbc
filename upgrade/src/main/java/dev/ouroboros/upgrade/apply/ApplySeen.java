package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.decide.Rollout.Ending;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.Step;
import java.util.List;
import java.util.Optional;

/**
 * What an upgrade sees.
 *
 * @param next what journal and cluster say is to be done
 * @param ending of the last change of the API server; looked for when objects differ or something stopped
 * @param workloads of the stage that is waited for
 * @param trouble of the first of their pods that has any, for people
 */
record ApplySeen(Step next, Optional<Ending> ending, List<ObjectName> workloads, String trouble) {
    ApplySeen {
        workloads = List.copyOf(workloads);
    }
}
