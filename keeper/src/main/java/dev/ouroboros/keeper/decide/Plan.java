package dev.ouroboros.keeper.decide;

import dev.ouroboros.keeper.decide.Decision.Planned;
import java.util.ArrayList;
import java.util.List;

/** Collects the actions of one decision. */
final class Plan {
    private final List<Planned> actions = new ArrayList<>();

    /** Adds an action; one that is planned already keeps its first reason. */
    void add(Action action, Reason reason, String evidence) {
        if (actions.stream().noneMatch(planned -> planned.action().equals(action))) {
            actions.add(new Planned(action, reason, evidence));
        }
    }

    List<Planned> actions() {
        return List.copyOf(actions);
    }
}
