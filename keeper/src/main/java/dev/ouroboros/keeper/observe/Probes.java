package dev.ouroboros.keeper.observe;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.core.front.FrontSpec;
import dev.ouroboros.core.keeper.Role;
import dev.ouroboros.core.pivot.Component;
import dev.ouroboros.keeper.api.ApiException;
import dev.ouroboros.keeper.observe.ServerProbe.Credentials;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.InstantSource;

/** Direct probes of what listens on this node, at its loopback addresses: the front never touches those. */
final class Probes {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int CONNECT_MILLIS = 1000;

    private final FrontSpec spec;
    private final Credentials credentials;
    private final InstantSource clock;
    private final Cell<Health> principal;
    private final Cell<Health> understudy;
    private final Cell<Health> controllerManager;
    private final Cell<Health> scheduler;

    Probes(FrontSpec spec, Credentials credentials, InstantSource clock, Signal changed) {
        this.spec = spec;
        this.credentials = credentials;
        this.clock = clock;
        this.principal = new Cell<>("principal", changed);
        this.understudy = new Cell<>("understudy", changed);
        this.controllerManager = new Cell<>("controller-manager-understudy", changed);
        this.scheduler = new Cell<>("scheduler-understudy", changed);
    }

    void start(Lookouts lookouts) {
        apiServer(lookouts, "principal", spec.principalPort(), principal);
        apiServer(lookouts, "understudy", spec.understudyPort(), understudy);
        listener(lookouts, Component.CONTROLLER_MANAGER, controllerManager);
        listener(lookouts, Component.SCHEDULER, scheduler);
    }

    private void apiServer(Lookouts lookouts, String name, int port, Cell<Health> result) {
        ServerProbe probe = new ServerProbe(at(port), credentials, clock);
        lookouts.every("probe-" + name, INTERVAL, () -> {
            Health before = result.get().orElse(new Health.NotListening());
            try {
                result.set(Evidence.known(probe.probe(before)));
            } catch (ApiException e) {
                result.set(Evidence.unknown(String.valueOf(e.getMessage())));
            }
        });
    }

    /** They serve their health with a certificate that they make for themselves: that one listens has to do. */
    private void listener(Lookouts lookouts, Component component, Cell<Health> result) {
        InetSocketAddress address = at(component.understudyPort());
        lookouts.every("probe-" + component.binary(), INTERVAL, () -> {
            Health before = result.get().orElse(new Health.NotListening());
            result.set(Evidence.known(listens(address, before)));
        });
    }

    private Health listens(InetSocketAddress address, Health before) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MILLIS);
            return before instanceof Health.Ready ? before : new Health.Ready(clock.instant());
        } catch (ConnectException e) {
            return new Health.NotListening();
        } catch (IOException e) {
            return new Health.NotReady(String.valueOf(e.getMessage()));
        }
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
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
