package dev.ouroboros.etcd;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.problem.Problem;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.restore.EtcdPod;
import dev.ouroboros.core.restore.RestoreAction;
import dev.ouroboros.core.restore.RestorePhase;
import dev.ouroboros.core.restore.RestoreSeen;
import dev.ouroboros.core.restore.RestoreState;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.process.Command;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The eyes and hands of a restore, on the real node. */
final class RestoreWork {
    private final Disk disk;
    private final Processes processes;
    private final RestoreOptions options;
    private final EtcdPod etcd;
    private final RestoreTool tool;
    private final Path kept;
    private final boolean checked;
    private final RestorePlaces places;
    private final EtcdNode node;
    private final NodeServers servers;
    private boolean kubeletRestarted;
    private Optional<Problem> refusal = Optional.empty();

    RestoreWork(
            Disk disk,
            Processes processes,
            RestoreOptions options,
            EtcdPod etcd,
            RestoreTool tool,
            ContainerRuntime runtime,
            NodeServers servers,
            Path kept,
            boolean checked,
            Instant begun) {
        this.disk = disk;
        this.processes = processes;
        this.options = options;
        this.etcd = etcd;
        this.tool = tool;
        this.kept = kept;
        this.checked = checked;
        this.servers = servers;
        this.places = new RestorePlaces(Path.of(etcd.dataDirectory()), begun);
        this.node = new EtcdNode(etcd, runtime, Listeners.ofThisMachine());
        // With a raised revision its watches end by themselves.
        this.kubeletRestarted =
                tool.raisesRevision() || options.kubeletRestart().isEmpty();
    }

    RestorePlaces places() {
        return places;
    }

    /** What there is to see; of processes only what the phase asks for. */
    RestoreSeen look(RestoreState state) {
        boolean stops = state.phase() == RestorePhase.STOPPING
                || state.phase() == RestorePhase.SWAPPING
                || state.phase() == RestorePhase.ROLLING_BACK;
        Evidence<Boolean> notAsked = Evidence.unknown("not asked in this phase");
        return new RestoreSeen(
                there(places.stagedMember()),
                there(places.member()),
                there(places.aside()),
                there(options.manifest()),
                seen(this::isKept),
                stops ? node.running() : notAsked,
                state.phase() == RestorePhase.STARTING ? node.healthy() : notAsked,
                state.phase() == RestorePhase.REFRESHING ? servers.startedBefore(state.since()) : notAsked,
                kubeletRestarted,
                refusal);
    }

    private Evidence<Boolean> there(Path path) {
        return seen(() -> disk.status(path).isPresent());
    }

    private static Evidence<Boolean> seen(BooleanSupplier look) {
        try {
            return Evidence.known(look.getAsBoolean());
        } catch (ProblemException e) {
            return Evidence.unknown(e.describe());
        }
    }

    private boolean isKept() {
        Optional<String> copy = disk.readText(kept);
        Optional<String> original = disk.readText(options.manifest());
        return copy.isPresent() && (original.isEmpty() || original.equals(copy));
    }

    boolean refused() {
        return refusal.isPresent();
    }

    /** Does it; why it did not succeed is part of the next look. */
    void perform(RestoreAction action, RestoreState state) {
        refusal = Optional.empty();
        try {
            switch (action) {
                case STAGE -> stage();
                case KEEP_MANIFEST ->
                    disk.readText(options.manifest())
                            .ifPresent(text -> disk.write(kept, bytes(text), Disk.OWNER_ONLY_FILE));
                case REMOVE_MANIFEST -> disk.delete(options.manifest());
                case SET_ASIDE -> disk.rename(places.member(), places.aside());
                case PUT_IN_PLACE -> disk.rename(places.stagedMember(), places.member());
                case WRITE_MANIFEST ->
                    disk.readText(kept)
                            .ifPresent(text -> disk.write(options.manifest(), bytes(text), Disk.OWNER_ONLY_FILE));
                case END_STALE_SERVERS -> servers.end(state.since());
                case RESTART_KUBELET -> restartKubelet();
                case SET_REJECTED_ASIDE -> disk.rename(places.member(), places.rejected());
                case PUT_BACK -> disk.rename(places.aside(), places.member());
            }
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void stage() {
        disk.createDirectories(places.dataDirectory(), Disk.OWNER_ONLY_DIRECTORY);
        removeStaged();
        tool.restore(options.snapshot(), checked, etcd, places.staging(), places.token());
        disk.rename(places.staging(), places.staged());
    }

    private void restartKubelet() {
        options.kubeletRestart()
                .ifPresent(command ->
                        processes.run(Command.of("/bin/sh", "-c", command)).orThrow());
        kubeletRestarted = true;
    }

    /** Removes what a restore, or one that was killed, has made for itself alone. */
    void tidy() {
        removeStaged();
        disk.delete(kept);
    }

    private void removeStaged() {
        disk.list(places.dataDirectory()).stream()
                .filter(name -> name.startsWith(RestorePlaces.STAGED_PREFIX))
                .forEach(name -> disk.deleteTree(places.dataDirectory().resolve(name)));
    }
}
