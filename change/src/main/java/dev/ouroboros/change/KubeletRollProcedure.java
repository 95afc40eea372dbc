package dev.ouroboros.change;

import dev.ouroboros.change.KubeletRolling.Target;
import dev.ouroboros.change.decide.KubeletRoll;
import dev.ouroboros.change.decide.KubeletRoll.State;
import dev.ouroboros.change.decide.KubeletRoll.Wish;
import dev.ouroboros.change.decide.NodeKubelet;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Wishes another kubelet of nodes, one after the other: {@link KubeletRoll}. */
final class KubeletRollProcedure implements Procedure<State, List<NodeKubelet>, Wish> {
    private final NodeKubelets nodes;
    private final SortedMap<String, Target> targets;
    private final Duration settle;
    private final boolean isBack;

    /**
     * Nothing is asked yet.
     *
     * @param targets what each node that is meant is to get, by its name
     * @param isBack whether it is what nodes had before
     */
    KubeletRollProcedure(NodeKubelets nodes, SortedMap<String, Target> targets, Duration settle, boolean isBack) {
        this.nodes = nodes;
        this.targets = new TreeMap<>(targets);
        this.settle = settle;
        this.isBack = isBack;
    }

    @Override
    public List<NodeKubelet> look(State state) {
        return nodes.look();
    }

    @Override
    public NextStep<State, Wish> decide(List<NodeKubelet> seen, State state, Instant now) {
        SortedMap<String, String> wishes = new TreeMap<>();
        targets.forEach((name, target) -> wishes.put(name, target.text()));
        return KubeletRoll.next(seen, wishes, settle, isBack, state, now);
    }

    /** The kubelet may have changed its Node since it was read: then it is read again. */
    @Override
    public State perform(Wish wish, State state) {
        Target target = Objects.requireNonNull(targets.get(wish.node().name()), "only what is meant is written");
        return nodes.wish(wish.node(), wish.text(), target.change()) ? state : State.BEGIN;
    }
}
