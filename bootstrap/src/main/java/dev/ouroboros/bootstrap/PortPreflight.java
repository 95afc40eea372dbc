package dev.ouroboros.bootstrap;

import dev.ouroboros.api.HttpConnection;
import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.port.Listener;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.port.PortProbe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whether the ports of a pivot are free, before anything is changed. A server of this cluster may have one, left by a killed
 * start or of a control plane that is coming up. It is recognized by its pod, or by a certificate of the cluster's CA.
 */
final class PortPreflight {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final Listeners listeners;
    private final PodLogs logs;
    private final Endpoint api;

    PortPreflight(Listeners listeners, PodLogs logs, Endpoint api) {
        this.listeners = listeners;
        this.logs = logs;
        this.api = api;
    }

    /** @throws ProblemException PORT_IN_USE with every port that somebody else has */
    void check(ApiAddress address) {
        List<Problem> problems = new ArrayList<>();
        check(address.port(), Component.API_SERVER).ifPresent(problems::add);
        for (Component component : Component.WITH_UNDERSTUDY) {
            boolean shared = component == Component.API_SERVER && address.handover() == Handover.OUTAGE;
            if (!shared) {
                check(component.understudyPort(), component).ifPresent(problems::add);
            }
        }
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
    }

    private Optional<Problem> check(int port, Component component) {
        return switch (listeners.on(port)) {
            case Known<List<Listener>>(List<Listener> all) ->
                all.stream()
                        .filter(listener -> !isPodOf(component, listener))
                        .findFirst()
                        .filter(_ -> !belongsToCluster(port, component))
                        .map(listener ->
                                inUse(port, component, listener.command() + " (process " + listener.process() + ")"));
            case Unknown<List<Listener>>(String reason) ->
                PortProbe.listens(port) && !belongsToCluster(port, component)
                        ? Optional.of(inUse(port, component, "somebody (" + reason + ")"))
                        : Optional.empty();
        };
    }

    private boolean isPodOf(Component component, Listener listener) {
        return listener.podUid()
                .flatMap(logs::podOf)
                .filter(pod -> pod.startsWith("kube-system_") && pod.contains(component.id()))
                .isPresent();
    }

    /** Whether what listens there shows a certificate of the cluster's CA; no request is sent. */
    private boolean belongsToCluster(int port, Component component) {
        if (component != Component.API_SERVER) {
            return false;
        }
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (HttpConnection _ = HttpConnection.open(api.newSslContext(), address, TIMEOUT)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Problem inUse(int port, Component component, String who) {
        return new Problem(
                ErrorCode.PORT_IN_USE,
                "port " + port,
                who + " listens on it",
                "nobody, or a " + component.id() + " of this cluster",
                "end that program or give it another port, and run the same command again");
    }
}
