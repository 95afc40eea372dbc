package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.component.ComponentName;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What to do now.
 *
 * @param state what the next decision is to be made with; lost with the process, which costs time and never safety
 * @param actions in the order in which they are to be performed
 * @param components where each component stands and what it waits for
 * @param change where a change of the API server stands
 */
public record Decision(
        KeeperState state, List<Planned> actions, SortedMap<ComponentName, Status> components, ChangeStatus change) {
    /**
     * @param evidence what the action rests on, for people: logged with the action and kept for {@code ouro explain}
     */
    public record Planned(Action action, Reason reason, String evidence) {}

    public Decision {
        actions = List.copyOf(actions);
        components = Collections.unmodifiableSortedMap(new TreeMap<>(components));
    }
}
