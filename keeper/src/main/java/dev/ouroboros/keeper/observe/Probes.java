package dev.ouroboros.keeper.observe;

import dev.ouroboros.api.ApiException;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import java.time.Duration;

/**
 * Direct probes of what listens on this node: the principal each second; an understudy that does not listen more rarely when the node is
 * at rest.
 */
final class Probes {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final LocalServers servers;
    private final Signal changed;
    private final Cell<Health> principal;
    private final Cell<Health> understudy;
    private final Cell<Health> controllerManager;
    private final Cell<Health> scheduler;

    Probes(LocalServers servers, Signal changed) {
        this.servers = servers;
        this.changed = changed;
        this.principal = new Cell<>("principal", changed);
        this.understudy = new Cell<>("understudy", changed);
        this.controllerManager = new Cell<>("controller-manager-understudy", changed);
        this.scheduler = new Cell<>("scheduler-understudy", changed);
    }

    void start(Lookouts lookouts) {
        lookouts.every("probe-principal", INTERVAL, () -> apiServer(Server.PRINCIPAL, principal));
        understudy(lookouts, "understudy", understudy, () -> apiServer(Server.UNDERSTUDY, understudy));
        listener(lookouts, Component.CONTROLLER_MANAGER, controllerManager);
        listener(lookouts, Component.SCHEDULER, scheduler);
    }

    private void apiServer(Server server, Cell<Health> result) {
        Health before = result.get().orElse(new Health.NotListening());
        try {
            result.set(Evidence.known(servers.probe(server, before)));
        } catch (ApiException e) {
            result.set(Evidence.unknown(String.valueOf(e.getMessage())));
        }
    }

    private void listener(Lookouts lookouts, Component component, Cell<Health> result) {
        understudy(lookouts, component.id(), result, () -> {
            Health before = result.get().orElse(new Health.NotListening());
            result.set(Evidence.known(servers.listens(component, before)));
        });
    }

    /** An understudy that is not there comes only when the keeper starts it, and what happens then ends the rest. */
    private void understudy(Lookouts lookouts, String name, Cell<Health> result, Runnable look) {
        lookouts.repeatAndWhenRestEnds("probe-" + name, () -> {
            look.run();
            return result.get().is(Health.NotListening.class::isInstance) ? changed.sparing(INTERVAL) : INTERVAL;
        });
    }

    Evidence<Health> principal(Role role) {
        return role == Role.API_SERVER ? principal.get() : Evidence.unknown("only API servers are probed directly");
    }

    Evidence<Health> understudy(Role role) {
        return switch (role) {
            case API_SERVER -> understudy.get();
            case CONTROLLER_MANAGER -> controllerManager.get();
            case SCHEDULER -> scheduler.get();
            case KEEPER, OTHER -> Evidence.unknown("has no port that is known");
        };
    }
}
