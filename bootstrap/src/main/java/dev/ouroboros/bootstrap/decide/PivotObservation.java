package dev.ouroboros.bootstrap.decide;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.start.NodeView;
import dev.ouroboros.model.start.SelfHostedWorkload;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything a pivot decides on. Each field comes from one source and is unknown until that source has answered.
 *
 * @param understudy probe of the temporary API server, on 127.0.0.1
 * @param principal probe of the self-hosted API server, on 127.0.0.1
 * @param readers which of the two list Secrets; unknown while the self-hosted one is not ready
 * @param endpoint probe through the address that clients use
 * @param endpointServer which of the two API servers answers through that address, by its own certificate
 * @param helpers probes of the temporary controller manager and scheduler, which are ready when they listen
 * @param manifests what lies in the kubelet's manifest directory under the name of each temporary component
 * @param crashes containers of temporary components that ended by themselves
 * @param secrets whether the temporary copies of the secrets are in place
 * @param front where the front port leads
 * @param frontProof what keeps clients from reaching the understudy through the front; empty when nothing does
 * @param applied how far the manifests that are no workloads are applied
 * @param workloadsApplied how far the workloads are applied
 * @param node the Node object of this machine
 * @param kubeletRestartPending whether the kubelet may be restarted and has not been lately
 * @param workloads the self-hosted workloads that must be ready
 * @param stale leader-election leases that a temporary component still holds
 * @param serviceEndpoints whether the kubernetes Service leads to this node's API port
 * @param refusals why an action cannot succeed, however often it is tried
 * @param acceptance whether what a user needs works against the self-hosted control plane alone
 */
public record PivotObservation(
        Evidence<Health> understudy,
        Evidence<Health> principal,
        Evidence<Set<Server>> readers,
        Evidence<Health> endpoint,
        Evidence<Server> endpointServer,
        Map<Component, Evidence<Health>> helpers,
        Map<Component, Evidence<Manifest>> manifests,
        Evidence<List<Crash>> crashes,
        Evidence<Boolean> secrets,
        Evidence<Front> front,
        Evidence<List<Problem>> frontProof,
        Evidence<Applied> applied,
        Evidence<Applied> workloadsApplied,
        Evidence<NodeView> node,
        Evidence<Boolean> kubeletRestartPending,
        Evidence<List<SelfHostedWorkload>> workloads,
        Evidence<List<Component>> stale,
        Evidence<Boolean> serviceEndpoints,
        List<Problem> refusals,
        Evidence<Acceptance> acceptance) {

    /** What lies where the temporary component's static manifest belongs. */
    public enum Manifest {
        ABSENT,
        OURS,
        FOREIGN
    }

    /**
     * A temporary component whose container ended by itself.
     *
     * @param restarts how often
     * @param lastLines the end of its last log
     */
    public record Crash(Component component, int restarts, String lastLines) {}

    /** Where new connections to the API port go. */
    public enum Front {
        /** The table does not exist. */
        ABSENT,
        /** The map leads to the understudy, with enough of its lease left. */
        UNDERSTUDY,
        /** The map leads to the understudy and its lease must be renewed. */
        UNDERSTUDY_EXPIRING,
        /** The map is empty. */
        PRINCIPAL
    }

    /**
     * @param done objects in place
     * @param total objects to apply
     */
    public record Applied(int done, int total) {
        public boolean isComplete() {
            return done >= total;
        }
    }

    /** Result of the acceptance check. */
    public sealed interface Acceptance {
        record Running() implements Acceptance {}

        record Passed() implements Acceptance {}

        record Failed(Problem problem) implements Acceptance {}
    }

    public PivotObservation {
        helpers = Map.copyOf(helpers);
        manifests = Map.copyOf(manifests);
        refusals = List.copyOf(refusals);
    }

    /** The probe of a temporary component. */
    public Evidence<Health> probeOf(Component component) {
        return component == Component.API_SERVER
                ? understudy
                : helpers.getOrDefault(component, Evidence.unknown("not probed"));
    }

    public PivotObservation withWorkloads(Evidence<List<SelfHostedWorkload>> seen) {
        return new PivotObservation(
                understudy,
                principal,
                readers,
                endpoint,
                endpointServer,
                helpers,
                manifests,
                crashes,
                secrets,
                front,
                frontProof,
                applied,
                workloadsApplied,
                node,
                kubeletRestartPending,
                seen,
                stale,
                serviceEndpoints,
                refusals,
                acceptance);
    }

    /** Before any source has answered. */
    public static PivotObservation nothing() {
        Map<Component, Evidence<Health>> helpers = new EnumMap<>(Component.class);
        helpers.put(Component.CONTROLLER_MANAGER, Evidence.unknown("not probed yet"));
        helpers.put(Component.SCHEDULER, Evidence.unknown("not probed yet"));
        Map<Component, Evidence<Manifest>> manifests = new EnumMap<>(Component.class);
        for (Component component : Component.WITH_UNDERSTUDY) {
            manifests.put(component, Evidence.unknown("not read yet"));
        }
        return new PivotObservation(
                Evidence.unknown("not probed yet"),
                Evidence.unknown("not probed yet"),
                Evidence.unknown("not asked yet"),
                Evidence.unknown("not probed yet"),
                Evidence.unknown("not probed yet"),
                helpers,
                manifests,
                Evidence.unknown("not read yet"),
                Evidence.unknown("not read yet"),
                Evidence.unknown("not read yet"),
                Evidence.unknown("not proven yet"),
                Evidence.unknown("not read yet"),
                Evidence.unknown("not applied yet"),
                Evidence.unknown("not applied yet"),
                Evidence.unknown("not read yet"),
                Evidence.unknown("not read yet"),
                Evidence.unknown("not read yet"),
                Evidence.unknown("not read yet"),
                List.of(),
                Evidence.unknown("not run yet"));
    }
}
