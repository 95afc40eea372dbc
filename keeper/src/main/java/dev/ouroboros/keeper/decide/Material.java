package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.checkpoint.Revision;
import dev.ouroboros.model.problem.Problem;
import java.util.List;

/** What can be saved of a component now: of its youngest living pod here and all it refers to. */
public sealed interface Material {
    /**
     * Everything was read.
     *
     * @param podUid the pod it was made from
     * @param revision what a checkpoint of it would be called
     */
    record Complete(String podUid, Revision revision) implements Material {}

    /**
     * It has a checkpoint here and no living pod: everything was read of the youngest pod that is ready on another node. This node has
     * the images.
     *
     * @param pod as the API has it
     * @param revision what a checkpoint of it would be called
     */
    record OnAnotherNode(PrincipalPod pod, Revision revision) implements Material {}

    /** It cannot be a static pod on this node; the problems name the fields. */
    record Refused(String podUid, List<Problem> problems) implements Material {
        public Refused {
            problems = List.copyOf(problems);
        }
    }
}
