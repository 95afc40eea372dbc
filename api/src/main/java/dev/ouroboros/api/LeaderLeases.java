package dev.ouroboros.api;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import java.util.Optional;

/** The Leases of controller manager and scheduler. */
public final class LeaderLeases {
    /** All Leases of kube-system, those of the leaders among them. */
    public static final ApiPath ALL = ApiPath.of("coordination.k8s.io/v1", "kube-system", "leases");

    private final Api api;

    public LeaderLeases(Api api) {
        this.api = api;
    }

    /** The Lease of a component's leader; empty when nobody holds it. */
    public Optional<LeaderLease> read(Component component) throws ApiException {
        Optional<Json> lease = api.find(ALL.named(component.id()));
        return lease.isEmpty() ? Optional.empty() : LeaderLease.of(component, lease.get());
    }

    /**
     * Empties the holder, unless the Lease has been written since it was seen so.
     *
     * @throws ApiException CONFLICT when somebody else was faster
     */
    public void release(LeaderLease seen) throws ApiException {
        ApiPath path = ALL.named(seen.component().id());
        Optional<Json> lease = api.find(path);
        if (lease.isPresent() && LeaderLease.of(seen.component(), lease.get()).equals(Optional.of(seen))) {
            // With the resourceVersion that was read: of two writers, one fails.
            api.update(path, LeaderLease.released(lease.get()));
        }
    }
}
