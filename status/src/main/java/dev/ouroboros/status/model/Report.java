package dev.ouroboros.status.model;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

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

    private static final Set<Layer> CONTROL_PLANE = EnumSet.of(Layer.ETCD, Layer.API_SERVER, Layer.CONTROLLERS);

    public Report {
        sources = List.copyOf(sources);
        components = List.copyOf(components);
        changes = List.copyOf(changes);
        remarks = List.copyOf(remarks);
    }

    /** Whether it is changed through the API that it is part of; unknown as long as its owner is. Where there is a steward, kubelets are that its object is obeyed by. */
    public Evidence<Boolean> isSelfHosted(ComponentStatus component) {
        boolean hasSteward = components.stream().anyMatch(other -> other.name().equals(Component.STEWARD.id()));
        return component.owner().map(owner -> owner.isSelfHosted() || (hasSteward && owner == Owner.GUARDED_PROCESS));
    }

    /** Whether nobody who was asked knew anything of a cluster. */
    public boolean isEmpty() {
        return sources.stream().noneMatch(SourceStatus::known);
    }

    /** What is said of the parts of the control plane that do not serve and will not by themselves. */
    public List<Remark> whatTheControlPlaneLacks() {
        Set<String> lacking = components.stream()
                .filter(component -> CONTROL_PLANE.contains(component.layer())
                        && component.health().grade() == ComponentHealth.Grade.BAD)
                .map(ComponentStatus::title)
                .collect(Collectors.toSet());
        return remarks.stream()
                .filter(remark -> remark.grade() == ComponentHealth.Grade.BAD && lacking.contains(remark.about()))
                .toList();
    }

    /** The same report with every next thing to do reworded. */
    public Report advising(UnaryOperator<String> words) {
        return new Report(
                at,
                sources.stream()
                        .map(source -> new SourceStatus(
                                source.name(), source.known(), source.text(), words.apply(source.next())))
                        .toList(),
                components,
                changes,
                remarks.stream()
                        .map(remark ->
                                new Remark(remark.grade(), remark.about(), remark.text(), words.apply(remark.next())))
                        .toList(),
                convergence);
    }

    /** The same report without times, which a keeper states anew by its own clock: two reports that differ only in these are alike. */
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
