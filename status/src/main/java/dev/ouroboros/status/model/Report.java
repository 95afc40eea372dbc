package dev.ouroboros.status.model;

import java.time.Instant;
import java.util.List;

/**
 * Where a cluster stands.
 *
 * @param sources who was asked
 * @param components from the machine up
 * @param changes under way, or ended badly
 * @param remarks the worst first; none when all is well
 */
public record Report(
        Instant at,
        List<SourceStatus> sources,
        List<ComponentStatus> components,
        List<Change> changes,
        List<Remark> remarks,
        Convergence convergence) {
    public Report {
        sources = List.copyOf(sources);
        components = List.copyOf(components);
        changes = List.copyOf(changes);
        remarks = List.copyOf(remarks);
    }

    /** Whether nobody who was asked knew anything of a cluster. */
    public boolean isEmpty() {
        return sources.stream().noneMatch(SourceStatus::known);
    }
}
