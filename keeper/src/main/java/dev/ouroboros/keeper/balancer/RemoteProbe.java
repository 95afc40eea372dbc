package dev.ouroboros.keeper.balancer;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.balancer.decide.RemoteHealth;
import dev.ouroboros.model.evidence.Health;

/** Asks the API server of another node how it is. */
public interface RemoteProbe extends AutoCloseable {
    /** @throws ApiException when there is nothing to ask with */
    RemoteHealth ask(Health before) throws ApiException;

    @Override
    void close();
}
