package dev.ouroboros.keeper.api;

import dev.ouroboros.api.Api;
import dev.ouroboros.api.ApiException;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.api.ApiPath;
import dev.ouroboros.api.ClusterGuard;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.leader.LeaderLease;
import java.util.Optional;

/** Reads and releases the Leases of controller manager and scheduler. */
public final class LeaderLeaseClient {
    private static final ApiPath COLLECTION = ApiPath.of("coordination.k8s.io/v1", "kube-system", "leases");

    private final Api client;
    private final ClusterGuard guard;

    public LeaderLeaseClient(Api client, ClusterGuard guard) {
        this.client = client;
        this.guard = guard;
    }

    /** What is held; empty when nobody holds it. */
    public Optional<LeaderLease> read(Component component) throws ApiException {
        guard.require();
        return object(component).flatMap(lease -> LeaderLease.of(component, lease));
    }

    /**
     * Empties the holder, unless the Lease has been written since it was seen so.
     *
     * @throws ApiException CONFLICT when somebody else was faster
     */
    public void release(LeaderLease seen) throws ApiException {
        guard.require();
        Optional<Json> lease = object(seen.component())
                .filter(now -> LeaderLease.of(seen.component(), now).equals(Optional.of(seen)));
        if (lease.isPresent()) {
            // With the resourceVersion that was read: of two writers, one fails.
            client.update(COLLECTION.named(seen.component().id()), LeaderLease.released(lease.get()));
        }
    }

    private Optional<Json> object(Component component) throws ApiException {
        try {
            return Optional.of(client.get(COLLECTION.named(component.id())));
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
