package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.etcd.decide.EtcdRestore;
import dev.ouroboros.etcd.decide.RestoreAction;
import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.etcd.decide.RestoreSeen;
import dev.ouroboros.etcd.decide.RestoreState;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A restore as a procedure: it looks and acts on the node, and {@link EtcdRestore} decides. */
final class RestoreWork implements Procedure<RestoreState, RestoreSeen, RestoreAction> {
    private final Disk disk;
    private final Restoration.Target target;
    private final EtcdRestore decisions;
    private final SnapshotUnpacker unpacker;
    private final RestorePlaces places;
    private final EtcdNode node;
    private final NodeServers servers;
    private final Optional<Runnable> kubeletRestart;
    private boolean kubeletRestarted;
    private Optional<Instant> refreshing = Optional.empty();
    private Optional<Problem> refusal = Optional.empty();

    RestoreWork(
            Restoration.Target target,
            Restoration.Surroundings surroundings,
            EtcdPod etcd,
            SnapshotUnpacker unpacker,
            Instant begun) {
        this.disk = surroundings.disk();
        this.target = target;
        this.decisions = new EtcdRestore(target.deadline());
        this.unpacker = unpacker;
        this.servers = surroundings.servers();
        this.kubeletRestart = surroundings.kubeletRestart();
        this.places = new RestorePlaces(Path.of(etcd.dataDirectory()), begun);
        this.node =
                new EtcdNode(etcd, surroundings.runtime(), surroundings.probes().apply(etcd));
        // With a raised revision the kubelet's watches end by themselves.
        this.kubeletRestarted = unpacker.raisesRevision() || kubeletRestart.isEmpty();
    }

    boolean raisesRevision() {
        return unpacker.raisesRevision();
    }

    RestorePlaces places() {
        return places;
    }

    /** What there is to see; of processes only what the phase asks for. */
    @Override
    public RestoreSeen look(RestoreState state) {
        boolean stops = state.phase() == RestorePhase.STOPPING
                || state.phase() == RestorePhase.SWAPPING
                || state.phase() == RestorePhase.ROLLING_BACK;
        Evidence<Boolean> notAsked = Evidence.unknown("not asked in this phase");
        return new RestoreSeen(
                there(places.stagedMember()),
                there(places.member()),
                there(places.aside()),
                there(target.manifest()),
                seen(this::isKept),
                stops ? node.running() : notAsked,
                state.phase() == RestorePhase.STARTING ? node.healthy() : notAsked,
                state.phase() == RestorePhase.REFRESHING ? servers.startedBefore(refreshingSince()) : notAsked,
                kubeletRestarted,
                refusal);
    }

    /** When etcd was healthy again or the restore was resumed: servers that were started anew before that are started anew once more. */
    private Instant refreshingSince() {
        Instant since = refreshing.orElseGet(servers::now);
        refreshing = Optional.of(since);
        return since;
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
        Optional<String> copy = disk.readText(target.kept());
        Optional<String> original = disk.readText(target.manifest());
        return copy.isPresent() && (original.isEmpty() || original.equals(copy));
    }

    @Override
    public NextStep<RestoreState, RestoreAction> decide(RestoreSeen seen, RestoreState state, Instant now) {
        return decisions.decide(seen, state, now);
    }

    /** Performs the action; why it failed is part of the next look. */
    @Override
    public RestoreState perform(RestoreAction action, RestoreState state) {
        refusal = Optional.empty();
        try {
            switch (action) {
                case STAGE -> stage();
                case KEEP_MANIFEST ->
                    disk.readText(target.manifest())
                            .ifPresent(text -> disk.write(target.kept(), bytes(text), Disk.OWNER_ONLY_FILE));
                case REMOVE_MANIFEST -> {
                    if (state.phase() != RestorePhase.ROLLING_BACK) {
                        requireLast();
                    }
                    disk.delete(target.manifest());
                }
                case SET_ASIDE -> {
                    requireLast();
                    disk.rename(places.member(), places.aside());
                }
                case PUT_IN_PLACE -> {
                    requireLast();
                    disk.rename(places.stagedMember(), places.member());
                }
                case WRITE_MANIFEST -> {
                    if (state.phase() != RestorePhase.ROLLING_BACK) {
                        requireLast();
                    }
                    writeManifest(state.phase());
                }
                case END_STALE_SERVERS -> servers.end(refreshingSince());
                case RESTART_KUBELET -> restartKubelet();
                case SET_REJECTED_ASIDE -> disk.rename(places.member(), places.rejected());
                case PUT_BACK -> disk.rename(places.aside(), places.member());
            }
        } catch (ProblemException e) {
            refusal = Optional.of(e.problems().getFirst());
        }
        return state;
    }

    private void requireLast() {
        target.last().ifPresent(last -> last.guard().run());
    }

    /** A member that has its former data again has its former manifest, too. */
    private void writeManifest(RestorePhase phase) {
        String text = target.last()
                .filter(_ -> phase != RestorePhase.ROLLING_BACK)
                .map(Restoration.LastMember::manifest)
                .or(() -> disk.readText(target.kept()))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        target.kept().toString(),
                        "does not exist",
                        "our copy of etcd's manifest",
                        "write etcd's manifest to " + target.manifest()
                                + " yourself, then run the same command again"));
        disk.write(target.manifest(), bytes(text), Disk.OWNER_ONLY_FILE);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void stage() {
        disk.createDirectories(places.dataDirectory(), Disk.OWNER_ONLY_DIRECTORY);
        removeStaged();
        unpacker.unpack(places.staging(), places.token());
        disk.rename(places.staging(), places.staged());
    }

    private void restartKubelet() {
        kubeletRestart.ifPresent(Runnable::run);
        kubeletRestarted = true;
    }

    private void removeStaged() {
        removeStaged(disk, places.dataDirectory());
    }

    /** Removes what a restore, or one that was killed, has made for itself alone. */
    static void tidy(Disk disk, Restoration.Target target, Path dataDirectory) {
        removeStaged(disk, dataDirectory);
        disk.delete(target.kept());
    }

    /** Removes data that were restored and not put in place. */
    static void removeStaged(Disk disk, Path dataDirectory) {
        disk.list(dataDirectory).stream()
                .filter(name -> name.startsWith(RestorePlaces.STAGED_PREFIX))
                .forEach(name -> disk.deleteTree(dataDirectory.resolve(name)));
    }
}
