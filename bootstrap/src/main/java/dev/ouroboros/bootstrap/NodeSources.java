package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.PivotObservation;
import dev.ouroboros.bootstrap.decide.PivotObservation.Crash;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Health;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.start.SelfHostedWorkload;
import dev.ouroboros.node.action.Wakeup;
import dev.ouroboros.node.kubelet.PodLogs;
import dev.ouroboros.node.port.PortProbe;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** What can be seen on the node itself, without any API: probes, files, the front, container logs. */
final class NodeSources implements AutoCloseable {
    private static final Duration FILE_INTERVAL = Duration.ofSeconds(1);
    private static final int LOG_LINES = 12;

    /** A kubelet asks for its certificate at its start, and 2, 6 and 14 s later; a busy controller manager takes seconds to sign it. */
    private static final Duration KUBELET_PATIENCE = Duration.ofSeconds(20);

    private static final int KUBELET_RESTARTS = 2;

    private final Wakeup changed;
    private final TemporaryControlPlane temporary;
    private final ApiServerSources servers;
    private final PodLogs logs;
    private final String nodeName;
    private final Optional<String> kubeletRestart;
    private final InstantSource clock;
    private final AtomicReference<List<Instant>> kubeletRestarts = new AtomicReference<>(List.of());
    private final Map<Component, Integer> attemptsBefore = new ConcurrentHashMap<>();
    private final Loops loops;

    private final AtomicReference<Evidence<Health>> controllerManager = ApiServerSources.notProbed();
    private final AtomicReference<Evidence<Health>> scheduler = ApiServerSources.notProbed();
    private final AtomicReference<Files> files = new AtomicReference<>(Files.unknown());

    NodeSources(
            Wakeup changed,
            TemporaryControlPlane temporary,
            ApiServerSources servers,
            PodLogs logs,
            String nodeName,
            Optional<String> kubeletRestart,
            InstantSource clock) {
        this.changed = changed;
        this.temporary = temporary;
        this.servers = servers;
        this.loops = new Loops(changed);
        this.logs = logs;
        this.nodeName = nodeName;
        this.kubeletRestart = kubeletRestart;
        this.clock = clock;
        for (Component component : Component.WITH_UNDERSTUDY) {
            // Logs of an earlier run lie in the same place when the manifest is the same.
            attemptsBefore.put(component, newestAttempt(component).orElse(-1));
        }
    }

    /** Begins to look. */
    void start() {
        servers.start(loops);
        loops.probe("controller-manager", controllerManager, listening(Component.CONTROLLER_MANAGER));
        loops.probe("scheduler", scheduler, listening(Component.SCHEDULER));
        loops.every(FILE_INTERVAL, "files", this::refresh);
    }

    private Loops.Prober listening(Component component) {
        return previous -> PortProbe.probe(component.understudyPort(), previous, clock);
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

    /** The same manifest again is the same pod to the kubelet: what ended of it before says nothing about what comes. */
    void beginsAnew(Component component) {
        attemptsBefore.put(component, newestAttempt(component).orElse(-1));
    }

    /** Reads files, front and logs now: called after an action changed them. */
    void refresh() {
        Files before = files.get();
        Files now = new Files(
                temporary.observeManifests(), temporary.observeSecrets(), servers.readFront(), observeCrashes());
        files.set(now);
        if (!now.equals(before)) {
            changed.raise();
        }
    }

    private Evidence<List<Crash>> observeCrashes() {
        try {
            List<Crash> crashes = new ArrayList<>();
            for (Component component : Component.WITH_UNDERSTUDY) {
                int before = attemptsBefore.getOrDefault(component, -1);
                int restarts = newestAttempt(component).orElse(before) - before - 1;
                if (restarts > 0) {
                    String tail = logs.tail("kube-system", podName(component), component.id(), LOG_LINES);
                    crashes.add(new Crash(component, restarts, tail));
                }
            }
            return Evidence.known(crashes);
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    /** The workload with the last log lines of the containers that it waits for, as far as they ran on this node. */
    SelfHostedWorkload withLastLines(SelfHostedWorkload workload) {
        return workload.with(container -> container.withLastLines(
                logs.tail(container.namespace(), container.pod(), container.name(), LOG_LINES)));
    }

    private OptionalInt newestAttempt(Component component) {
        return logs.newestAttempt("kube-system", podName(component), component.id());
    }

    /** A static pod's name gets the node's name as its end. */
    private String podName(Component component) {
        return component.temporaryPod() + "-" + nodeName;
    }

    Map<Component, Evidence<Health>> helpers() {
        return Map.of(Component.CONTROLLER_MANAGER, controllerManager.get(), Component.SCHEDULER, scheduler.get());
    }

    Files files() {
        return files.get();
    }

    @Override
    public void close() {
        loops.close();
    }

    /** What lies on the node, read together. */
    record Files(
            Map<Component, Evidence<PivotObservation.Manifest>> manifests,
            Evidence<Boolean> secrets,
            Evidence<PivotObservation.Front> front,
            Evidence<List<Crash>> crashes) {
        static Files unknown() {
            PivotObservation nothing = PivotObservation.nothing();
            return new Files(nothing.manifests(), nothing.secrets(), nothing.front(), nothing.crashes());
        }
    }
}
