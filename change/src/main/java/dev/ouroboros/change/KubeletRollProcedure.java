package dev.ouroboros.change;

import dev.ouroboros.change.KubeletRolling.Target;
import dev.ouroboros.change.decide.KubeletChange;
import dev.ouroboros.change.decide.KubeletRoll;
import dev.ouroboros.change.decide.KubeletRoll.Action;
import dev.ouroboros.change.decide.KubeletRoll.Seen;
import dev.ouroboros.change.decide.KubeletRoll.State;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import java.time.Instant;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Wishes another kubelet of nodes, one after the other: {@link KubeletRoll}. */
final class KubeletRollProcedure implements Procedure<State, Seen, Action> {
    private final NodeKubelets nodes;
    private final SortedMap<String, Target> targets;
    private final KubeletRoll.Order order;

    /**
     * Nothing is asked yet.
     *
     * @param targets what each node that is meant is to get, by its name
     * @param order says the same, and how
     */
    KubeletRollProcedure(NodeKubelets nodes, SortedMap<String, Target> targets, KubeletRoll.Order order) {
        this.nodes = nodes;
        this.targets = new TreeMap<>(targets);
        this.order = order;
    }

    @Override
    public Seen look(State state) {
        return nodes.look(state);
    }

    @Override
    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        return KubeletRoll.next(seen, order, state, now);
    }

    /** The kubelet may have changed its Node since it was read, and the API be away for a moment: then it is looked again. */
    @Override
    public State perform(Action action, State state) {
        try {
            return written(action, state);
        } catch (ProblemException e) {
            if (e.problems().stream().allMatch(problem -> problem.code() == ErrorCode.API_UNAVAILABLE)) {
                return state;
            }
            throw e;
        }
    }

    private State written(Action action, State state) {
        switch (action) {
            case Action.Wish(var node, String text) -> {
                if (!nodes.wish(node, text, changeOf(node.name()))) {
                    return State.BEGIN;
                }
            }
            case Action.Cordon(var node) -> nodes.cordon(node, changeOf(node.name()));
            case Action.Uncordon(var node) -> nodes.uncordon(node);
            case Action.Evict(var _, var pods) -> nodes.evict(pods);
        }
        return state;
    }

    private KubeletChange changeOf(String node) {
        return Objects.requireNonNull(targets.get(node), "only what is meant is written")
                .change();
    }
}
