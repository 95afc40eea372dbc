package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.keeper.decide.Proof;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import java.util.Optional;

/** What listens on this node, asked at its loopback addresses: the front never touches those. */
public interface LocalServers {
    /**
     * Whether an API server is ready.
     *
     * @param previous the last result: a server that stays ready keeps its time
     * @throws ApiException when there is nothing to ask with
     */
    Health probe(Server server, Health previous) throws ApiException;

    /** Whether something listens at the understudy's port of a component. */
    Health listens(Component component, Health previous);

    /**
     * Asks an API server for more than that it is ready.
     *
     * @param before the last result: a server that goes on answering well keeps its time
     * @throws ApiException when there is nothing to ask with
     */
    Proof examine(Server server, Optional<Proof> before) throws ApiException;
}
