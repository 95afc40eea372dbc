package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.SecondTry;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.merge.Conflict;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What one run of an upgrade remembers.
 *
 * @param journal the part that the next run needs
 * @param writes how many objects this run has written
 * @param reached workloads that had the target's template in this run
 * @param conflicts what somebody has to decide before it goes on
 */
record ApplyState(
        UpgradeJournal journal,
        int writes,
        Set<ObjectName> reached,
        SecondTry secondTry,
        Map<ObjectName, List<Conflict>> conflicts) {
    ApplyState {
        reached = Set.copyOf(reached);
        conflicts = Map.copyOf(conflicts);
    }

    ApplyState with(UpgradeJournal next) {
        return new ApplyState(next, writes, reached, secondTry, conflicts);
    }

    ApplyState havingWritten(List<ObjectName> objects) {
        return new ApplyState(journal, writes + objects.size(), reached, secondTry, conflicts);
    }

    ApplyState reaching(List<ObjectName> workloads) {
        Set<ObjectName> more = new HashSet<>(reached);
        more.addAll(workloads);
        return new ApplyState(journal, writes, more, secondTry, conflicts);
    }

    ApplyState havingAsked() {
        return new ApplyState(journal, writes, reached, secondTry.havingAsked(), conflicts);
    }

    ApplyState stoppedBy(Map<ObjectName, List<Conflict>> found) {
        return new ApplyState(journal, writes, reached, secondTry, found);
    }

    /** The object among these that this run had brought to the target's template. */
    Optional<ObjectName> lost(List<ObjectName> differing) {
        return differing.stream().filter(reached::contains).findFirst();
    }
}
