package dev.ouroboros.keeper.decide;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The components of this node beside each other. Two of one role, as when a DaemonSet was renamed, would have understudies on the same
 * ports: at most one has one.
 *
 * @param all in the order of their names
 */
record Neighbours(List<Judged> all) {
    /** Which component of a role may have an understudy: one that has it; else one with a checkpoint; else one that belongs here. */
    private static final Comparator<Judged> CLAIM = Comparator.<Judged, Boolean>comparing(Judged::hasUnderstudy)
            .thenComparing(Judged::hasCheckpoint)
            .thenComparing(component -> component.seen().belongs().is(Boolean::booleanValue))
            .thenComparing(component -> !component.seen().belongs().is(belongs -> !belongs))
            .thenComparing(Judged::name, Comparator.reverseOrder());

    Neighbours {
        all = List.copyOf(all);
    }

    List<Judged> allButKeeper() {
        return all.stream()
                .filter(component -> component.seen().role() != Role.KEEPER)
                .toList();
    }

    /** Whether a controller manager or scheduler is here, or may be needed here, that this node is not selected for. */
    boolean haveLeaderToMove() {
        return all.stream().anyMatch(Judged::isLeaderToMove);
    }

    Optional<Judged> keeper() {
        return all.stream()
                .filter(component -> component.seen().role() == Role.KEEPER)
                .findFirst();
    }

    /** The API server that stands behind the front. */
    Optional<Judged> apiServer() {
        return all.stream().filter(Judged::isApiServer).max(CLAIM);
    }

    /** The component that keeps another one from having an understudy: one that has the better claim, or that may have one already. */
    Optional<ComponentName> rivalOf(Judged component) {
        if (component.seen().role() == Role.OTHER) {
            return Optional.empty();
        }
        return all.stream()
                .filter(other -> other.seen().role() == component.seen().role())
                .filter(other -> !other.name().equals(component.name()))
                .filter(other -> !other.hasNoUnderstudy() || CLAIM.compare(other, component) > 0)
                .map(Judged::name)
                .findFirst();
    }
}
