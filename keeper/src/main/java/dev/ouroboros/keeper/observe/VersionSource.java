package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.checkpoint.Checkpoint;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.version.KubernetesVersion;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether the checkpoint of an API server is older than what served this cluster (docs/architecture.md, rule 5). */
final class VersionSource {
    private final NodeMemory memory;
    private final DiskSource disk;
    private final RuntimeSource runtime;
    private final Probes probes;

    VersionSource(NodeMemory memory, DiskSource disk, RuntimeSource runtime, Probes probes) {
        this.memory = memory;
        this.disk = disk;
        this.runtime = runtime;
        this.probes = probes;
    }

    /**
     * Whether the checkpoint is older than the newest that ever served, or may serve now: the server that answers through the front is
     * asked for its version only now and then, and its pod may be deleted before that.
     *
     * @param pods of the component, as far as they are known
     */
    Evidence<Boolean> outdated(ComponentName apiServer, Collection<PodSummary> pods) {
        try {
            Optional<KubernetesVersion> served = Stream.concat(memory.newestServed().stream(), mayServe(pods))
                    .max(Comparator.naturalOrder());
            Optional<KubernetesVersion> saved = saved(apiServer);
            if (served.isEmpty() || saved.isEmpty()) {
                return Evidence.unknown("versions are not known");
            }
            return Evidence.known(saved.get().compareTo(served.get()) < 0);
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private Stream<KubernetesVersion> mayServe(Collection<PodSummary> pods) {
        boolean listens = Health.listens(probes.principal(Role.API_SERVER));
        return pods.stream()
                .filter(pod -> pod.mayServe(runtime.pod(pod.pod().uid()), listens))
                .flatMap(pod -> pod.object().stream())
                .flatMap(pod -> Checkpoint.versionOf(pod, Role.API_SERVER).stream());
    }

    private Optional<KubernetesVersion> saved(ComponentName apiServer) {
        return disk.facts(apiServer).flatMap(DiskSource.Known::version);
    }

    /** Writes down that an understudy is started, when it is an API server older than one that served. */
    void noteStart(ComponentName component, Collection<PodSummary> pods) {
        if (outdated(component, pods).is(Boolean::booleanValue)) {
            saved(component).ifPresent(memory::standsIn);
        }
    }
}
