package dev.ouroboros.status.model;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.status.seen.DatedCertificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Where one component stands.
 *
 * @param namespace empty for a component that is no pod
 * @param name of its controller, or of itself
 * @param nodes where it runs, or is known to belong
 * @param version of what runs, by its image's tag or its own report
 * @param checkpoints one entry per node that has some, or should; unknown when no such node is known; empty when the component asks for
 *     none
 * @param certificates that it uses
 * @param since when it came into this condition; empty when nobody says
 * @param waitsFor what has to happen for it to be at rest; empty for nothing
 */
public record ComponentStatus(
        Layer layer,
        String namespace,
        String name,
        Evidence<Owner> owner,
        List<String> nodes,
        Evidence<String> version,
        ComponentHealth health,
        Optional<Evidence<List<NodeCheckpoints>>> checkpoints,
        Evidence<List<DatedCertificate>> certificates,
        Optional<Instant> since,
        String waitsFor) {
    /** From the machine up. */
    public static final Comparator<ComponentStatus> ORDER = Comparator.comparing(ComponentStatus::layer)
            .thenComparing(ComponentStatus::namespace)
            .thenComparing(ComponentStatus::name);

    public ComponentStatus {
        nodes = List.copyOf(nodes);
    }

    /** As people call it: without the namespace of the control plane. */
    public String title() {
        return namespace.isEmpty() || namespace.equals("kube-system") ? name : namespace + "/" + name;
    }

    /** The checkpoints of every node that is known to have or to lack them. */
    public List<NodeCheckpoints> knownCheckpoints() {
        return checkpoints.map(known -> known.orElse(List.of())).orElse(List.of());
    }

    /** The certificate that expires first; those of authorities count like all others. */
    public Optional<DatedCertificate> firstToExpire() {
        return certificates.orElse(List.of()).stream().min(Comparator.comparing(DatedCertificate::notAfter));
    }

    ComponentStatus timeless() {
        return new ComponentStatus(
                layer,
                namespace,
                name,
                owner,
                nodes,
                version,
                health,
                checkpoints,
                certificates,
                Optional.empty(),
                waitsFor);
    }
}
