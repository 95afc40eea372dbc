package dev.ouroboros.bootstrap.decide;

import java.util.List;

/**
 * What to do now.
 *
 * @param state to be persisted before {@code actions} are performed
 * @param actions in the order in which they are to be started
 * @param waitingFor what has to happen before the phase ends, for people
 */
public record PivotDecision(PivotState state, List<Planned> actions, List<String> waitingFor) {
    public record Planned(PivotAction action, PivotReason reason) {}

    public PivotDecision {
        actions = List.copyOf(actions);
        waitingFor = List.copyOf(waitingFor);
    }
}
