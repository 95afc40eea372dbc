package dev.ouroboros.bootstrap;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.evidence.Health;
import dev.ouroboros.core.front.FrontState;
import dev.ouroboros.core.front.Server;
import dev.ouroboros.core.pivot.Component;
import dev.ouroboros.core.pivot.Observation;
import dev.ouroboros.core.pivot.Observation.Crash;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.node.front.CertificateIdentity;
import dev.ouroboros.node.front.Dialer;
import dev.ouroboros.node.front.Front;
import dev.ouroboros.node.front.FrontPreflight;
import dev.ouroboros.node.front.OffLoopback;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What can be seen on the node itself, without any API: probes, files, the front, container logs. Each source has a thread of its
 * own that waits for it, so that one that hangs does not hold up the others.
 */
final class NodeSources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeSources.class);
    private static final Duration PROBE_INTERVAL = Duration.ofMillis(200);
    private static final Duration FILE_INTERVAL = Duration.ofSeconds(1);
    /** A lease with less left than this is renewed. */
    private static final Duration RENEW_BELOW = Duration.ofSeconds(12);

    /** A kubelet asks for its certificate at its start, and 2, 6 and 14 s later; a busy controller manager takes seconds to sign it. */
    private static final Duration KUBELET_PATIENCE = Duration.ofSeconds(20);

    private static final int KUBELET_RESTARTS = 2;
    private static final int LOG_LINES = 12;
    private static final int PROOFS = 3;

    private final Signal changed;
    private final TemporaryControlPlane temporary;
    private final Front front;
    private final PodLogs logs;
    private final String nodeName;
    private final Optional<String> kubeletRestart;
    private final InstantSource clock;
    private final AtomicReference<List<Instant>> kubeletRestarts = new AtomicReference<>(List.of());
    private final Map<Component, Integer> attemptsBefore = new EnumMap<>(Component.class);
    private final List<Thread> threads = new ArrayList<>();

    private final AtomicReference<Evidence<Health>> understudy = unknownHealth();
    private final AtomicReference<Evidence<Health>> principal = unknownHealth();
    private final AtomicReference<Evidence<Health>> endpoint = unknownHealth();
    private final AtomicReference<Evidence<Health>> controllerManager = unknownHealth();
    private final AtomicReference<Evidence<Health>> scheduler = unknownHealth();
    private final AtomicReference<Evidence<Server>> endpointServer =
            new AtomicReference<>(Evidence.unknown("not probed yet"));
    private final AtomicReference<Evidence<List<Problem>>> frontProof =
            new AtomicReference<>(Evidence.unknown("not proven yet"));
    private final AtomicReference<Files> files = new AtomicReference<>(Files.unknown());

    NodeSources(
            Signal changed,
            TemporaryControlPlane temporary,
            Front front,
            PodLogs logs,
            String nodeName,
            Optional<String> kubeletRestart,
            InstantSource clock) {
        this.changed = changed;
        this.temporary = temporary;
        this.front = front;
        this.logs = logs;
        this.nodeName = nodeName;
        this.kubeletRestart = kubeletRestart;
        this.clock = clock;
        for (Component component : Component.values()) {
            // Logs of an earlier run lie in the same place when the manifest is the same.
            attemptsBefore.put(component, newestAttempt(component).orElse(-1));
        }
    }

    private static AtomicReference<Evidence<Health>> unknownHealth() {
        return new AtomicReference<>(Evidence.unknown("not probed yet"));
    }

    /** Begins to look. */
    void start(Endpoint api) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        int principalPort = front.spec().principalPort();
        probe("understudy", understudy, new HealthProbe(api, at(loopback, Component.API_SERVER), clock)::probe);
        probe(
                "principal",
                principal,
                new HealthProbe(api, new InetSocketAddress(loopback, principalPort), clock)::probe);
        InetAddress address = front.spec().nodeAddresses().getFirst();
        probe("endpoint", endpoint, new HealthProbe(api, new InetSocketAddress(address, principalPort), clock)::probe);
        loop("endpoint-server", PROBE_INTERVAL, this::identifyEndpoint);
        probe(
                "controller-manager",
                controllerManager,
                _ -> HealthProbe.probeListening(at(loopback, Component.CONTROLLER_MANAGER)));
        probe("scheduler", scheduler, _ -> HealthProbe.probeListening(at(loopback, Component.SCHEDULER)));
        loop("files", FILE_INTERVAL, this::refresh);
    }

    private static InetSocketAddress at(InetAddress address, Component component) {
        return new InetSocketAddress(address, component.understudyPort());
    }

    private interface Prober {
        Health probe(Health previous);
    }

    private void probe(String name, AtomicReference<Evidence<Health>> result, Prober prober) {
        loop(name, PROBE_INTERVAL, () -> {
            Evidence<Health> before = result.get();
            Health found = prober.probe(before.orElse(new Health.NotListening()));
            // Lost when somebody has reset the source meanwhile: the next probe tells anew.
            boolean stored = result.compareAndSet(before, Evidence.known(found));
            if (stored && !before.equals(Evidence.known(found))) {
                changed.raise();
            }
        });
    }

    private void loop(String name, Duration interval, Runnable look) {
        threads.add(Thread.ofVirtual().name("observe-" + name).start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    look.run();
                } catch (RuntimeException e) {
                    // One failed look must not blind the pivot for good; what it sees stays as old as it is.
                    LOG.warn("observing {} failed: {}", name, e.toString());
                }
                try {
                    Thread.sleep(interval);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
    }

    private void identifyEndpoint() {
        if (!files.get().front().is(led -> led == Observation.Front.PRINCIPAL)) {
            // Nothing is decided on it before the switch, and each look costs three handshakes.
            return;
        }
        Evidence<Server> before = endpointServer.get();
        Evidence<Server> found;
        try {
            CertificateIdentity answering = Dialer.here()
                    .identify(
                            front.spec().nodeAddresses().getFirst(),
                            front.spec().principalPort());
            found = matching(answering);
        } catch (IOException e) {
            found = Evidence.unknown("the endpoint does not answer: " + e.getMessage());
        }
        if (endpointServer.compareAndSet(before, found) && !found.equals(before)) {
            changed.raise();
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
            List<Problem> problems = preflight.check();
            // A busy machine can miss a time limit once; a firewall stands there each time.
            for (int again = 1; again < PROOFS && !problems.isEmpty(); again++) {
                problems = preflight.check();
            }
            frontProof.set(Evidence.known(problems));
        }
    }

    /** Restarts the kubelet. Pods go on meanwhile. */
    void restartKubelet(Processes processes) {
        kubeletRestarts.updateAndGet(before ->
                Stream.concat(before.stream(), Stream.of(clock.instant())).toList());
        kubeletRestart.ifPresent(
                command -> processes.run(Command.of("/bin/sh", "-c", command)).orThrow());
    }

    Evidence<Boolean> kubeletRestartPending() {
        List<Instant> restarts = kubeletRestarts.get();
        boolean patient = !restarts.isEmpty()
                && clock.instant().isBefore(restarts.getLast().plus(KUBELET_PATIENCE));
        return Evidence.known(kubeletRestart.isPresent() && !patient && restarts.size() < KUBELET_RESTARTS);
    }

    Evidence<List<Problem>> frontProof() {
        return frontProof.get();
    }

    Evidence<Server> endpointServer() {
        return endpointServer.get();
    }

    /** What a probe of the endpoint found before the front was moved says nothing about where it leads now. */
    void forgetEndpoint() {
        endpoint.set(Evidence.unknown("not probed since the switch"));
        endpointServer.set(Evidence.unknown("not probed since the switch"));
    }

    /** Reads files, front and logs now: called after an action changed them. */
    void refresh() {
        Files before = files.get();
        Files now =
                new Files(temporary.observeManifests(), temporary.observeSecrets(), observeFront(), observeCrashes());
        files.set(now);
        if (!now.equals(before)) {
            changed.raise();
        }
    }

    private Evidence<Observation.Front> observeFront() {
        return switch (front.read()) {
            case FrontState.Unknown(String reason) -> Evidence.unknown(reason);
            case FrontState.Foreign(String description) -> Evidence.unknown("a foreign table is there: " + description);
            case FrontState.NotInstalled() -> Evidence.known(Observation.Front.ABSENT);
            case FrontState.Damaged(String ignored) -> Evidence.known(Observation.Front.ABSENT);
            case FrontState.ToPrincipal() -> Evidence.known(Observation.Front.PRINCIPAL);
            case FrontState.ToUnderstudy(Duration remaining) ->
                Evidence.known(
                        remaining.compareTo(RENEW_BELOW) < 0
                                ? Observation.Front.UNDERSTUDY_EXPIRING
                                : Observation.Front.UNDERSTUDY);
        };
    }

    private Evidence<List<Crash>> observeCrashes() {
        try {
            List<Crash> crashes = new ArrayList<>();
            for (Component component : Component.values()) {
                int before = attemptsBefore.getOrDefault(component, -1);
                int restarts = newestAttempt(component).orElse(before) - before - 1;
                if (restarts > 0) {
                    String tail = logs.tail("kube-system", podName(component), component.binary(), LOG_LINES);
                    crashes.add(new Crash(component, restarts, tail));
                }
            }
            return Evidence.known(crashes);
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private OptionalInt newestAttempt(Component component) {
        return logs.newestAttempt("kube-system", podName(component), component.binary());
    }

    /** A static pod's name gets the node's name as its end. */
    private String podName(Component component) {
        return component.temporaryPod() + "-" + nodeName;
    }

    Evidence<Health> understudy() {
        return understudy.get();
    }

    Evidence<Health> principal() {
        return principal.get();
    }

    Evidence<Health> endpoint() {
        return endpoint.get();
    }

    Map<Component, Evidence<Health>> helpers() {
        return Map.of(Component.CONTROLLER_MANAGER, controllerManager.get(), Component.SCHEDULER, scheduler.get());
    }

    Files files() {
        return files.get();
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }

    /** What lies on the node, read together. */
    record Files(
            Map<Component, Evidence<Observation.Manifest>> manifests,
            Evidence<Boolean> secrets,
            Evidence<Observation.Front> front,
            Evidence<List<Crash>> crashes) {
        static Files unknown() {
            Observation nothing = Observation.nothing();
            return new Files(nothing.manifests(), nothing.secrets(), nothing.front(), nothing.crashes());
        }
    }
}
