package dev.ouroboros.status.model;

import java.time.Duration;
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
    /** Before a certificate's end; time enough to do something about it in working hours. */
    public static final Duration CERTIFICATE_WARNING = Duration.ofDays(30);

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

    /** The same without moments, which a keeper tells anew by its own clock each time: two reports that differ in them only are alike. */
    public Report timeless() {
        return new Report(
                Instant.EPOCH,
                sources,
                components.stream().map(ComponentStatus::timeless).toList(),
                changes.stream().map(Change::timeless).toList(),
                remarks,
                convergence);
    }
}
