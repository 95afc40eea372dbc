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
    private final Place place;
    private final Optional<Subject> subject;
    private final Disk disk;
    private final ContainerRuntime runtime;
    private final Consumer<String> listener;
    private Optional<Problem> refusal = Optional.empty();

    /**
     * Where drills are done.
     *
     * @param manifest of the drill, where the kubelet looks for it
     * @param data of the restored etcd
     */
    record Place(Path manifest, Path data) {}

    /**
     * What is tried.
     *
     * @param revision of the key space in the file
     * @param tool of etcd that restores it
     */
    record Subject(SnapshotDrillPod pod, Path file, long revision, String tool) {}

    /** @param subject empty where only what is left of another drill is cleared away */
    SnapshotDrillWork(
            SnapshotDrill decisions,
            Place place,
            Optional<Subject> subject,
            Disk disk,
            ContainerRuntime runtime,
            Consumer<String> listener) {
        this.decisions = decisions;
        this.place = place;
        this.subject = subject;
        this.disk = disk;
        this.runtime = runtime;
        this.listener = listener;
    }

    @Override
    public Seen look(State state) {
        Evidence<List<RuntimePod>> pods = Evidence.asking(() -> runtime.pods().stream()
                .filter(each -> each.isStatic() && each.name().startsWith(SnapshotDrillPod.PREFIX))
                .toList());
        boolean isServing = state.phase() == Phase.SERVING;
        Seen seen = new Seen(
                Evidence.asking(() -> disk.status(place.manifest()).isPresent()),
                pods.map(all -> all.stream().anyMatch(RuntimePod::mayRun)),
                Evidence.asking(() -> disk.status(place.data()).isPresent()),
                isServing ? pods.flatMap(this::restored) : notAsked(),
                isServing ? hashes() : notAsked(),
                refusal);
        refusal = Optional.empty();
        return seen;
    }

    private static <T> Evidence<T> notAsked() {
        return Evidence.unknown("not asked in this phase");
    }

    private Evidence<Integer> restored(List<RuntimePod> pods) {
        return pods.stream()
                .filter(each -> subject.filter(
                                tried -> each.name().startsWith(tried.pod().podName() + "-"))
                        .isPresent())
                .flatMap(each -> each.containers().stream())
                .filter(container -> container.name().equals(SnapshotDrillPod.RESTORE))
                .flatMap(container -> container.exit().stream())
                .reduce((_, newer) -> newer)
                .map(exit -> Evidence.known(exit.code()))
                .orElseGet(() -> Evidence.unknown("etcd's tool has not ended"));
    }

    private Evidence<Hashes> hashes() {
        // A file that another one has removed meanwhile is no end of the drill's own clearing.
        return subject.<Evidence<Hashes>>map(tried -> Evidence.asking(() -> server(tried))
                        .flatMap(server ->
                                Evidence.asking(() -> hashes(tried, server)).flatMap(hashes -> hashes)))
                .orElseGet(SnapshotDrillWork::notAsked);
    }

    private static Endpoint server(Subject tried) {
        return EtcdServers.ofMember(
                        List.of(tried.pod().clientUrl()), tried.pod().member())
                .members()
                .getFirst();
    }

    private static Evidence<Hashes> hashes(Subject tried, Endpoint server) {
        try (EtcdConnection etcd = EtcdConnection.open(server, PATIENCE)) {
            if (etcd.status().leader().isEmpty()) {
                return Evidence.unknown("it does not lead yet");
            }
            KeySpaceHash hash = KeySpaceHash.at(tried.revision(), etcd, HASH_PATIENCE, tried.file());
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
                            Subject tried = subject.orElseThrow();
                            disk.write(
                                    place.manifest(),
                                    tried.pod().text(tried.file(), tried.tool()).getBytes(StandardCharsets.UTF_8),
                                    Disk.OWNER_ONLY_FILE);
                            yield tried.file() + " is being restored";
                        }
                        case STOP -> {
                            disk.delete(place.manifest());
                            yield "the drill's etcd is stopped";
                        }
                        case DISCARD -> {
                            disk.deleteTree(place.data());
                            yield "the drill's data are deleted";
                        }
                    });
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return state;
    }
}
