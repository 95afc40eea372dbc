package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.etcd.decide.SnapshotDrill;
import dev.ouroboros.etcd.decide.SnapshotDrill.Action;
import dev.ouroboros.etcd.decide.SnapshotDrill.Hashes;
import dev.ouroboros.etcd.decide.SnapshotDrill.Phase;
import dev.ouroboros.etcd.decide.SnapshotDrill.Seen;
import dev.ouroboros.etcd.decide.SnapshotDrill.State;
import dev.ouroboros.etcd.decide.SnapshotDrillPod;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.runtime.ContainerRuntime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A drill as a procedure: it looks at the node and at the restored etcd and acts there, and {@link SnapshotDrill} decides. */
final class SnapshotDrillWork implements Procedure<State, Seen, Action> {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** A hash reads the whole database. */
    private static final Duration HASH_PATIENCE = Duration.ofMinutes(2);

    private final SnapshotDrill decisions;
    private final SnapshotDrillPod pod;
    private final Subject subject;
    private final Path manifest;
    private final Disk disk;
    private final ContainerRuntime runtime;
    private final Consumer<String> listener;
    private Optional<Problem> refusal = Optional.empty();

    /**
     * What is tried.
     *
     * @param revision of the key space in the file
     * @param tool of etcd that restores it
     */
    record Subject(Path file, long revision, String tool) {}

    /** @param manifest of the drill, where the kubelet looks for it */
    SnapshotDrillWork(
            SnapshotDrill decisions,
            SnapshotDrillPod pod,
            Subject subject,
            Path manifest,
            Disk disk,
            ContainerRuntime runtime,
            Consumer<String> listener) {
        this.decisions = decisions;
        this.pod = pod;
        this.subject = subject;
        this.manifest = manifest;
        this.disk = disk;
        this.runtime = runtime;
        this.listener = listener;
    }

    @Override
    public Seen look(State state) {
        Evidence<List<RuntimePod>> pods = Evidence.asking(() -> runtime.pods().stream()
                .filter(each -> each.isStatic()
                        && each.namespace().equals(pod.namespace())
                        && each.name().startsWith(pod.podName() + "-"))
                .toList());
        boolean isServing = state.phase() == Phase.SERVING;
        Seen seen = new Seen(
                Evidence.asking(() -> disk.status(manifest).isPresent()),
                pods.map(all -> all.stream().anyMatch(RuntimePod::mayRun)),
                Evidence.asking(() -> disk.status(pod.data()).isPresent()),
                isServing ? pods.flatMap(SnapshotDrillWork::restored) : notAsked(),
                isServing ? hashes() : notAsked(),
                refusal);
        refusal = Optional.empty();
        return seen;
    }

    private static <T> Evidence<T> notAsked() {
        return Evidence.unknown("not asked in this phase");
    }

    private static Evidence<Integer> restored(List<RuntimePod> pods) {
        return pods.stream()
                .flatMap(each -> each.containers().stream())
                .filter(container -> container.name().equals(SnapshotDrillPod.RESTORE))
                .flatMap(container -> container.exit().stream())
                .reduce((_, newer) -> newer)
                .map(exit -> Evidence.known(exit.code()))
                .orElseGet(() -> Evidence.unknown("etcd's tool has not ended"));
    }

    private Evidence<Hashes> hashes() {
        return Evidence.asking(() -> EtcdServers.ofMember(List.of(pod.clientUrl()), pod.member())
                        .members()
                        .getFirst())
                .flatMap(this::hashes);
    }

    private Evidence<Hashes> hashes(Endpoint server) {
        try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
            if (etcd.status().leader().isEmpty()) {
                return Evidence.unknown("it does not lead yet");
            }
            KeySpaceHash hash = KeySpaceHash.at(subject.revision(), etcd, HASH_PATIENCE, subject.file());
            return Evidence.known(new Hashes(hash.theirs(), hash.ours()));
        } catch (IOException e) {
            return Evidence.unknown(EtcdProblems.of(server, e).describe());
        }
    }

    @Override
    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        return decisions.decide(seen, state, now);
    }

    /** Performs the action; why it came to nothing is part of the next look. */
    @Override
    public State perform(Action action, State state) {
        try {
            listener.accept(
                    switch (action) {
                        case START -> {
                            disk.write(
                                    manifest,
                                    pod.text(subject.file(), subject.tool()).getBytes(StandardCharsets.UTF_8),
                                    Disk.OWNER_ONLY_FILE);
                            yield subject.file() + " is being restored";
                        }
                        case STOP -> {
                            disk.delete(manifest);
                            yield "the drill's etcd is stopped";
                        }
                        case DISCARD -> {
                            disk.deleteTree(pod.data());
                            yield "the drill's data are deleted";
                        }
                    });
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return state;
    }
}
