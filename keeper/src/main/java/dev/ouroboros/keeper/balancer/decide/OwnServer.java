package dev.ouroboros.keeper.balancer.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.front.ServerAddress;

/**
 * The API server of a control-plane node, as its own balancer sees it.
 *
 * @param principal where it takes connections
 * @param understudy where its understudy does
 * @param principalHealth as it is asked on loopback
 * @param lead to whom the front leads
 */
public record OwnServer(
        ServerAddress principal,
        ServerAddress understudy,
        Evidence<Health> principalHealth,
        Evidence<Health> understudyHealth,
        Server lead) {
    /** The front leaves the one that is closed by itself; who comes through another node's door is sent to the right one here. */
    ServerAddress serving() {
        boolean other = !Health.isReady(health(lead)) && Health.isReady(health(lead.other()));
        return address(other ? lead.other() : lead);
    }

    /** Whether one of the two is ready. */
    public boolean isReady() {
        return Health.isReady(principalHealth) || Health.isReady(understudyHealth);
    }

    /** Whether it may serve: one of the two is open, or may be. */
    boolean mayListen() {
        return !isClosed(principalHealth) || !isClosed(understudyHealth);
    }

    private static boolean isClosed(Evidence<Health> health) {
        return health.is(seen -> seen instanceof Health.NotListening);
    }

    private ServerAddress address(Server server) {
        return switch (server) {
            case PRINCIPAL -> principal;
            case UNDERSTUDY -> understudy;
        };
    }

    private Evidence<Health> health(Server server) {
        return switch (server) {
            case PRINCIPAL -> principalHealth;
            case UNDERSTUDY -> understudyHealth;
        };
    }
}
