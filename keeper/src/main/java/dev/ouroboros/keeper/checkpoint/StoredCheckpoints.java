package dev.ouroboros.keeper.checkpoint;

import dev.ouroboros.model.checkpoint.Slots;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is on the disk.
 *
 * @param slots of every component that has a directory; unknown where its slot file is torn, foreign, of a future format or
 *     unreadable. A revision that is not whole is in no slot
 * @param problems what was found and left alone
 */
public record StoredCheckpoints(SortedMap<ComponentName, Evidence<Slots>> slots, List<Problem> problems) {
    public StoredCheckpoints {
        slots = Collections.unmodifiableSortedMap(new TreeMap<>(slots));
        problems = List.copyOf(problems);
    }
}
