package dev.ouroboros.upgrade.decide;

import java.util.List;

/**
 * One step of an upgrade.
 *
 * @param place the node it is done on; empty when it is about the whole cluster
 * @param what is done, for people
 * @param isByHand whether a person does it
 * @param pairs instances that work together after the step, and the rules that allow this
 */
public record PlanStep(Kind kind, String place, String what, boolean isByHand, List<SkewPair> pairs) {
    /** In the order in which they are done. */
    public enum Kind {
        SNAPSHOT,
        IMAGES,
        ASSETS,
        SHARED_OBJECTS,
        API_SERVER,
        CONTROLLER_MANAGER,
        SCHEDULER,
        PROXY,
        KEEPER,
        ADD_ONS,
        ACCEPTANCE,
        KUBELET
    }

    public PlanStep {
        pairs = List.copyOf(pairs);
    }

    /** Pairs of different versions, which are worth a line. */
    public List<SkewPair> notable() {
        return pairs.stream().filter(pair -> !pair.isTrivial()).toList();
    }
}
