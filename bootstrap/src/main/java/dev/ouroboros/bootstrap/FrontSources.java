package dev.ouroboros.bootstrap;

import dev.ouroboros.api.ServerProbe;
import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.bootstrap.decide.PivotObservation;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.front.FrontLease;
import dev.ouroboros.model.front.FrontState;
import dev.ouroboros.model.front.Server;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.node.front.CertificateIdentity;
import dev.ouroboros.node.front.Dialer;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.front.FrontPreflight;
import dev.ouroboros.node.front.OffLoopback;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** {@link Handover#FRONT}: two API servers, each on a port of its own, and the front that leads clients to one of them. */
final class FrontSources implements ApiServerSources {
    private final Endpoint api;
    private final Front front;
    private final InstantSource clock;
    private final AtomicReference<Evidence<Health>> understudy = ApiServerSources.notProbed();
    private final AtomicReference<Evidence<Health>> principal = ApiServerSources.notProbed();
    private final AtomicReference<Evidence<Readers>> readers = new AtomicReference<>(Evidence.unknown("not asked yet"));
    private final AtomicReference<Evidence<Health>> endpoint = ApiServerSources.notProbed();
    private final AtomicReference<Evidence<Server>> endpointServer =
            new AtomicReference<>(Evidence.unknown("not probed yet"));
    private final AtomicReference<Evidence<List<Problem>>> frontProof =
            new AtomicReference<>(Evidence.unknown("not proven yet"));
    private final AtomicReference<Evidence<PivotObservation.Front>> lead =
            new AtomicReference<>(Evidence.unknown("not read yet"));

    /** @param principal its health when the servers were asked */
    private record Readers(Evidence<Health> principal, Set<Server> servers) {}

    FrontSources(Endpoint api, Front front, InstantSource clock) {
        this.api = api;
        this.front = front;
        this.clock = clock;
    }

    @Override
    public void start(Loops loops) {
        SecretsProbe temporary = secretsOf(Server.UNDERSTUDY);
        SecretsProbe selfHosted = secretsOf(Server.PRINCIPAL);
        // Over connections that are kept: on a slow machine a handshake costs the server more than the answer.
        loops.probe(
                "understudy", understudy, Loops.asking(ServerProbe.of(loopback(Server.UNDERSTUDY), () -> api, clock)));
        loops.probe("principal", principal, Loops.asking(ServerProbe.of(loopback(Server.PRINCIPAL), () -> api, clock)));
        // A kept connection goes on to the server that had the clients before.
        InetSocketAddress address = new InetSocketAddress(
                front.spec().nodeAddresses().getFirst(), front.spec().principalPort());
        loops.probe("endpoint", endpoint, Loops.asking(ServerProbe.asNewClient(address, () -> api, clock)));
        loops.look("readers", readers, () -> whoReads(temporary, selfHosted));
        loops.look("endpoint-server", endpointServer, this::identifyEndpoint);
    }

    private InetSocketAddress loopback(Server server) {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), front.spec().portOf(server));
    }

    private SecretsProbe secretsOf(Server server) {
        return new SecretsProbe(api, loopback(server), clock);
    }

    /** A self-hosted server that has listed Secrets once, and was ready ever since, is not asked again. */
    private Evidence<Readers> whoReads(SecretsProbe temporary, SecretsProbe selfHosted) {
        Evidence<Health> health = principal.get();
        if (!Health.isReady(health)) {
            return Evidence.unknown("the self-hosted API server is not ready");
        }
        Evidence<Readers> before = readers.get();
        if (before.is(
                known -> known.principal().equals(health) && known.servers().contains(Server.PRINCIPAL))) {
            return before;
        }
        return switch (selfHosted.listsSecrets()) {
            case Evidence.Unknown<Boolean>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Boolean>(Boolean lists)
            when lists -> Evidence.known(new Readers(health, Set.of(Server.PRINCIPAL)));
            // If the temporary server cannot read them either, the self-hosted one is not at fault.
            case Evidence.Known<Boolean> _ ->
                switch (temporary.listsSecrets()) {
                    case Evidence.Unknown<Boolean>(String reason) -> Evidence.unknown(reason);
                    case Evidence.Known<Boolean>(Boolean lists) ->
                        Evidence.known(new Readers(health, lists ? Set.of(Server.UNDERSTUDY) : Set.of()));
                };
        };
    }

    private Evidence<Server> identifyEndpoint() {
        if (!lead.get().is(led -> led == PivotObservation.Front.PRINCIPAL)) {
            // No decision needs the answering server before the switch, and each look costs three handshakes.
            return endpointServer.get();
        }
        try {
            CertificateIdentity answering = Dialer.here()
                    .identify(
                            front.spec().nodeAddresses().getFirst(),
                            front.spec().principalPort());
            return matching(answering);
        } catch (IOException e) {
            return Evidence.unknown("the endpoint does not answer: " + e.getMessage());
        }
    }

    private Evidence<Server> matching(CertificateIdentity answering) {
        List<String> silent = new ArrayList<>();
        for (Server server : Server.values()) {
            try {
                int port = front.spec().portOf(server);
                if (Dialer.here()
                        .identify(InetAddress.getLoopbackAddress(), port)
                        .equals(answering)) {
                    return Evidence.known(server);
                }
            } catch (IOException e) {
                silent.add(server + " does not answer: " + e.getMessage());
            }
        }
        return Evidence.unknown(
                "no API server of this node has the certificate that answers; " + String.join("; ", silent));
    }

    /** Dials the node from off its loopback, over a network namespace of its own, and keeps what is found. */
    void proveFront(Processes processes) {
        boolean ipv6 = front.spec().nodeAddresses().stream().anyMatch(address -> address instanceof Inet6Address);
        try (OffLoopback place = OffLoopback.open(processes, List.of(), ipv6)) {
            FrontPreflight preflight = new FrontPreflight(front, Dialer.here(), place.dialer());
            frontProof.set(Evidence.known(preflight.check()));
        }
    }

    /** What a probe of the endpoint found before the front was moved says nothing about where it leads now. */
    void forgetEndpoint() {
        endpoint.set(Evidence.unknown("not probed since the switch"));
        endpointServer.set(Evidence.unknown("not probed since the switch"));
    }

    @Override
    public Evidence<PivotObservation.Front> readFront() {
        Evidence<PivotObservation.Front> now = read();
        lead.set(now);
        return now;
    }

    private Evidence<PivotObservation.Front> read() {
        return switch (front.read()) {
            case FrontState.Unknown(String reason) -> Evidence.unknown(reason);
            case FrontState.Foreign(String description) -> Evidence.unknown("a foreign table is there: " + description);
            case FrontState.NotInstalled() -> Evidence.known(PivotObservation.Front.ABSENT);
            case FrontState.Damaged(String ignored) -> Evidence.known(PivotObservation.Front.ABSENT);
            case FrontState.ToPrincipal _ -> Evidence.known(PivotObservation.Front.PRINCIPAL);
            case FrontState.ToUnderstudy(Duration remaining, var _) ->
                Evidence.known(
                        FrontLease.mustRenew(FrontLease.TO_UNDERSTUDY, remaining)
                                ? PivotObservation.Front.UNDERSTUDY_EXPIRING
                                : PivotObservation.Front.UNDERSTUDY);
        };
    }

    @Override
    public Evidence<Health> understudy() {
        return understudy.get();
    }

    @Override
    public Evidence<Health> principal() {
        return principal.get();
    }

    @Override
    public Evidence<Set<Server>> readers() {
        return readers.get() instanceof Known<Readers>(Readers known)
                        && known.principal().equals(principal.get())
                ? Evidence.known(known.servers())
                : Evidence.unknown("not asked since the self-hosted API server became ready");
    }

    @Override
    public Evidence<Health> endpoint() {
        return endpoint.get();
    }

    @Override
    public Evidence<Server> endpointServer() {
        return endpointServer.get();
    }

    @Override
    public Evidence<List<Problem>> frontProof() {
        return frontProof.get();
    }
}
