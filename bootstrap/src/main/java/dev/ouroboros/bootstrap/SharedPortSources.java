package dev.ouroboros.bootstrap;

import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.bootstrap.decide.PivotObservation;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.port.Listener;
import dev.ouroboros.node.port.Listeners;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * {@link Handover#OUTAGE}: one port, at which the temporary API server answers and then the self-hosted one. The pod of the
 * process that listens there tells which of them answers: a probe alone cannot, as both have the same certificate.
 */
final class SharedPortSources implements ApiServerSources {
    private final int port;
    private final Loops.Prober probe;
    private final Listeners listeners;
    private final PodLogs logs;
    private final String temporaryPod;
    private final AtomicReference<Evidence<Servers>> servers =
            new AtomicReference<>(Evidence.unknown("not probed yet"));
    private final AtomicReference<Evidence<Health>> endpoint = ApiServerSources.notProbed();

    SharedPortSources(
            Endpoint api,
            InetSocketAddress address,
            Listeners listeners,
            PodLogs logs,
            String nodeName,
            InstantSource clock) {
        this.port = address.getPort();
        this.probe = Loops.asking(ServerProbe.asNewClient(address, () -> api, clock));
        this.listeners = listeners;
        this.logs = logs;
        this.temporaryPod = "kube-system_" + Component.API_SERVER.temporaryPod() + "-" + nodeName;
    }

    @Override
    public void start(Loops loops) {
        loops.probe("endpoint", endpoint, probe);
        loops.look("servers", servers, this::look);
    }

    private Evidence<Servers> look() {
        return switch (listeners.on(port)) {
            case Unknown<List<Listener>>(String reason) -> Evidence.unknown(reason);
            case Known<List<Listener>>(List<Listener> all) -> {
                Servers before =
                        servers.get().orElse(new Servers(new Health.NotListening(), new Health.NotListening()));
                boolean temporary = all.stream().anyMatch(this::isTemporary);
                boolean selfHosted = all.stream().anyMatch(listener -> !isTemporary(listener));
                yield Evidence.known(
                        new Servers(health(temporary, before.temporary()), health(selfHosted, before.selfHosted())));
            }
        };
    }

    private Health health(boolean listens, Health before) {
        return listens ? probe.probe(before) : new Health.NotListening();
    }

    private boolean isTemporary(Listener listener) {
        return listener.podUid()
                .flatMap(logs::podOf)
                .filter(temporaryPod::equals)
                .isPresent();
    }

    @Override
    public Evidence<Health> understudy() {
        return healthOf(Servers::temporary);
    }

    @Override
    public Evidence<Health> principal() {
        return healthOf(Servers::selfHosted);
    }

    private Evidence<Health> healthOf(Function<Servers, Health> server) {
        return servers.get().map(both -> server.apply(both));
    }

    @Override
    public Evidence<Health> endpoint() {
        return endpoint.get();
    }

    @Override
    public Evidence<Set<Server>> readers() {
        return Evidence.unknown("they never answer beside each other");
    }

    @Override
    public Evidence<Server> endpointServer() {
        return Evidence.unknown("both have one port");
    }

    @Override
    public Evidence<List<Problem>> frontProof() {
        return Evidence.known(List.of());
    }

    @Override
    public Evidence<PivotObservation.Front> readFront() {
        return Evidence.known(PivotObservation.Front.ABSENT);
    }

    /** Seen in one look. */
    private record Servers(Health temporary, Health selfHosted) {}
}
