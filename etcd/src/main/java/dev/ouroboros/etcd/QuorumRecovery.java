package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.QuorumLoss;
import dev.ouroboros.etcd.decide.QuorumLoss.Silent;
import dev.ouroboros.etcd.decide.QuorumLoss.Voter;
import dev.ouroboros.etcd.decide.QuorumLoss.Word;
import dev.ouroboros.etcd.decide.RestorePhase;
import dev.ouroboros.etcd.decide.SnapshotRetention;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.Journal;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.procedure.JournalFile;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.node.process.Processes;
import dev.ouroboros.snapshot.Inspection;
import dev.ouroboros.snapshot.encryption.EncryptionConfiguration;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Makes the last member of an etcd that has lost its majority for good an etcd of its own, with everything that the member knows to be agreed on.
 *
 * <ol>
 *   <li>{@link QuorumLoss} decides whether that may be, and has the member's data saved, verified as any snapshot.
 *   <li>They are restored in its place ({@link Restoration}), as an etcd with another ID, so that members of before are strangers to it, and with a manifest that names no other
 *       one: on an empty disk it would not begin the former etcd anew. Before etcd is ended, and before each step until it is started with them, none of the others may say anything.
 *   <li>What does not come to its end gives the member its data and its manifest back.
 * </ol>
 *
 * <p>It may be killed at any instruction. Called again, it begins anew while etcd was not ended, as there may be newer data by then, and goes on otherwise.
 */
public final class QuorumRecovery {
    private static final String SNAPSHOT = "member.db";
    /** The manifest of before. */
    private static final String FORMER = "former.yaml";
    /** So often a save is tried: the kubelet may end the member in the middle of it. */
    private static final int TRIES = 10;

    private static final String UNSEEN = "an answer of this node's member, or its database";

    private final Disk disk;
    private final Processes processes;
    private final EtcdRestorer restorer;
    private final InstantSource clock;
    private final ProcedureListener listener;

    /**
     * For the recovery of one node's member.
     *
     * @param clock that does not jump: limits are counted on it
     */
    public QuorumRecovery(
            Disk disk, Processes processes, EtcdRestorer restorer, InstantSource clock, ProcedureListener listener) {
        this.disk = disk;
        this.processes = processes;
        this.restorer = restorer;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Where, and how long.
     *
     * @param manifest of etcd, where the kubelet looks for it
     * @param tool etcd's tool that restores; empty for the one that is installed
     * @param kubeletRestart a shell command that restarts the kubelet
     * @param limit how long one thing is waited for; what a kubelet starts anew, for its longest back-off besides
     */
    public record Options(
            Path manifest, Path stateDirectory, Optional<Path> tool, Optional<String> kubeletRestart, Duration limit) {
        Path directory() {
            return UnfinishedChange.RECOVER.directory(stateDirectory);
        }

        Path snapshot() {
            return directory().resolve(SNAPSHOT);
        }

        Path former() {
            return directory().resolve(FORMER);
        }

        RestoreOptions restore() {
            return new RestoreOptions(snapshot(), manifest, stateDirectory, tool, kubeletRestart, limit);
        }
    }

    /**
     * What is lost, and what there is.
     *
     * @param members why nobody answers, by the titles of those that are given up
     * @param own what this node's member says of itself, or its disk
     */
    public record Loss(SortedMap<String, String> members, Word own) {
        public Loss {
            members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        }
    }

    /**
     * Only looks.
     *
     * @throws ProblemException CHANGE_REFUSED when not all others are lost, LOCKED when a recovery is under way; NOT_FOUND, MISSING_TOOL and others when it cannot be; TIMEOUT when this node's member does not answer
     */
    public Loss look(Options options) {
        UnfinishedChange.requireNone(
                disk,
                options.stateDirectory(),
                List.of(UnfinishedChange.values()),
                options.manifest().toString());
        EtcdMemberPod present = present(options);
        return loss(firstAnswer(new VotersSource(present), patience(options)));
    }

    /**
     * Recovers.
     *
     * @param consent asked before anything is changed: throws when the members are not given up
     * @param restoring told of the restore
     * @return where the manifest of before is
     * @throws ProblemException as {@link #look} before anything is changed; why the restore failed: the member has its data and manifest back
     */
    public Path recover(Options options, Consumer<Loss> consent, Consumer<RestoreEvent> restoring)
            throws InterruptedException {
        try (ExclusiveLock _ = UnfinishedChange.lock(disk, options.stateDirectory())) {
            UnfinishedChange.requireNone(
                    disk,
                    options.stateDirectory(),
                    List.of(UnfinishedChange.CHANGE, UnfinishedChange.JOIN, UnfinishedChange.LEAVE),
                    options.manifest().toString());
            Optional<Begun> begun = journal(options).read(Begun::of);
            if (begun.filter(Begun::isDone).isPresent()) {
                finish(options);
                return options.former();
            }
            Optional<RestorePhase> phase = begun.flatMap(_ -> phase(options));
            if (phase.isEmpty()) {
                requireNoOtherRestore(options, begun.isPresent());
            }
            // The keeper is passive while it is held; when etcd serves, it may act.
            try (ExclusiveLock _ =
                    ExclusiveLock.acquire(options.stateDirectory().resolve(StateLayout.LOCK), "ouro etcd recover")) {
                boolean goesOn =
                        phase.filter(at -> isPastTheEndOfEtcd(at, options)).isPresent();
                if (!goesOn) {
                    phase.ifPresent(_ -> tidy(options));
                    discard(options);
                    begun = Optional.of(prepare(options, consent));
                }
                restore(options, begun.orElseThrow(), restoring);
                return options.former();
            }
        }
    }

    /**
     * What is journalled once the member's data are saved.
     *
     * @param others members that are given up
     * @param applied index of the last entry that was in them
     * @param isDone whether only the traces are left to be cleared away
     */
    private record Begun(List<VotersSource.Place> others, long applied, boolean isDone) {
        private static Begun of(Json root) {
            return new Begun(
                    root.at("others").items().stream()
                            .map(other -> new VotersSource.Place(
                                    other.at("id").text().orElse(""),
                                    other.at("url").text().orElse("")))
                            .toList(),
                    root.at("applied").integer().orElse(0),
                    root.at("done").equals(Json.bool(true)));
        }

        private Json.Fields toJson() {
            return Json.object()
                    .with(
                            "others",
                            Json.items(others.stream()
                                    .map(other -> Json.object()
                                            .with("id", Json.text(other.id()))
                                            .with("url", Json.text(other.url())))))
                    .with("applied", Json.number(applied))
                    .with("done", Json.bool(isDone));
        }
    }

    private void requireNoOtherRestore(Options options, boolean hasBegun) {
        if (hasBegun && RestoreJournal.isIn(disk, Restoration.Target.directoryIn(options.stateDirectory()))) {
            throw ProblemException.of(
                    ErrorCode.DAMAGED_FILE,
                    options.snapshot().toString(),
                    "is not what the restore that is under way is of",
                    "the file as it was saved",
                    "by hand: etcd's manifest of before is " + options.former()
                            + ", its data of before are member.before-... in its"
                            + " data directory; then remove "
                            + options.directory().resolve(UnfinishedChange.JOURNAL) + " and "
                            + Restoration.Target.directoryIn(options.stateDirectory()));
        }
        UnfinishedChange.requireNoRestore(disk, options.stateDirectory());
    }

    /** Of the restore of what this recovery has saved. */
    private Optional<RestorePhase> phase(Options options) {
        Optional<RestoreJournal.Entry> entry =
                new RestoreJournal(disk, Restoration.Target.directoryIn(options.stateDirectory())).read();
        return disk.status(options.snapshot()).isEmpty()
                ? Optional.empty()
                : entry.filter(found -> found.snapshot().equals(EtcdRestorer.sha256(options.snapshot())))
                        .map(found -> found.state().phase());
    }

    private boolean isPastTheEndOfEtcd(RestorePhase phase, Options options) {
        return switch (phase) {
            case PREPARING, FAILED -> false;
            case STOPPING -> disk.status(options.manifest()).isEmpty();
            case SWAPPING, STARTING, REFRESHING, ROLLING_BACK, DONE -> true;
        };
    }

    private JournalFile journal(Options options) {
        return new JournalFile(
                disk,
                options.directory().resolve(UnfinishedChange.JOURNAL),
                "QuorumRecoveryJournal",
                "recovery of the last member of etcd");
    }

    /** What a restore has made that never ended etcd, or gave it its data back. */
    private void tidy(Options options) {
        Restoration.Target target =
                new Restoration.Target("", options.manifest(), options.stateDirectory(), options.limit());
        RestoreWork.tidy(disk, target, Path.of(former(options).etcd().dataDirectory()));
    }

    private EtcdMemberPod former(Options options) {
        String text = disk.readText(options.former())
                .or(() -> disk.readText(options.manifest()))
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        options.former().toString(),
                        "does not exist",
                        "etcd's manifest of before",
                        "write it there, then run the same command again"));
        return EtcdMemberPod.of(options.former().toString(), text);
    }

    private void discard(Options options) {
        Restoration.forget(disk, options.stateDirectory());
        disk.delete(options.snapshot());
        disk.delete(options.directory().resolve(SnapshotSaver.PARTIAL));
        journal(options).remove();
    }

    private EtcdMemberPod present(Options options) {
        String text = disk.readText(options.manifest())
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        options.manifest().toString(),
                        "does not exist",
                        "the manifest of the member of etcd that is left",
                        "run this on its node, or name the manifest with --etcd-manifest"));
        EtcdMemberPod present = EtcdMemberPod.of(options.manifest().toString(), text);
        RestoreTool.find(processes, options.tool(), present.etcd());
        return present;
    }

    private Patience patience(Options options) {
        return new Patience(listener, options.limit().plus(QuorumLoss.longestSilence()), clock);
    }

    private Begun prepare(Options options, Consumer<Loss> consent) {
        EtcdMemberPod present = present(options);
        VotersSource source = new VotersSource(present);
        Patience patience = patience(options);
        consent.accept(loss(firstAnswer(source, patience)));
        disk.createDirectories(options.directory(), Disk.OWNER_ONLY_DIRECTORY);
        disk.write(options.former(), present.text().getBytes(StandardCharsets.UTF_8), Disk.OWNER_ONLY_FILE);
        patience.did();
        QuorumLoss.State saved;
        try {
            saved = patience.run(new Saving(source, options.snapshot()), Journal.none(), QuorumLoss.State.initial());
        } catch (ProblemException e) {
            disk.delete(options.snapshot());
            throw e;
        }
        // Whom nobody knows nobody asks: the restore would go on although they are back.
        Begun begun = new Begun(others(source, patience), saved.saved().orElseThrow(), false);
        journal(options).write(begun.toJson());
        return begun;
    }

    private static List<VotersSource.Place> others(VotersSource source, Patience patience) {
        while (true) {
            switch (source.others()) {
                case Known<List<VotersSource.Place>>(List<VotersSource.Place> others) -> {
                    return others;
                }
                case Unknown<List<VotersSource.Place>>(String why) -> patience.waits(UNSEEN, ": " + why);
            }
        }
    }

    private static List<Voter> firstAnswer(VotersSource source, Patience patience) {
        while (true) {
            switch (source.voters()) {
                case Known<List<Voter>>(List<Voter> voters) -> {
                    QuorumLoss.requireLost(voters);
                    return voters;
                }
                case Unknown<List<Voter>>(String why) -> patience.waits(UNSEEN, ": " + why);
            }
        }
    }

    private static Loss loss(List<Voter> voters) {
        SortedMap<String, String> lost = new TreeMap<>();
        for (Voter voter : voters) {
            if (!voter.isOwn() && voter.word() instanceof Silent(String why, boolean _)) {
                lost.put(voter.title(), why);
            }
        }
        return new Loss(
                lost,
                voters.stream()
                        .filter(Voter::isOwn)
                        .map(Voter::word)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException("only it tells who the others are")));
    }

    private void restore(Options options, Begun begun, Consumer<RestoreEvent> restoring) throws InterruptedException {
        EtcdMemberPod former = former(options);
        VotersSource source = new VotersSource(former);
        try {
            restorer.restoreLast(
                    options.restore(),
                    new Restoration.LastMember(
                            former.alone().text(), () -> source.requireStillAlone(begun.others(), begun.applied())),
                    restoring);
        } catch (ProblemException e) {
            if (phase(options).filter(RestorePhase.FAILED::equals).isPresent()) {
                discard(options);
            }
            throw e;
        }
        journal(options).write(new Begun(begun.others(), begun.applied(), true).toJson());
        finish(options);
    }

    /** The etcd of before, with the members that were added to it, is none any more. */
    private void finish(Options options) {
        disk.delete(options.stateDirectory().resolve(StateLayout.ETCD_MEMBERS_ADDED));
        discard(options);
    }

    /** Saves what the member has, when it is the last one. */
    private final class Saving implements Procedure<QuorumLoss.State, QuorumLoss.Seen, QuorumLoss.Save> {
        private final VotersSource source;
        private final Path snapshot;
        private Optional<Problem> refusal = Optional.empty();
        private boolean isAnswering;
        private int tries;

        Saving(VotersSource source, Path snapshot) {
            this.source = source;
            this.snapshot = snapshot;
        }

        @Override
        public QuorumLoss.Seen look(QuorumLoss.State state) {
            Evidence<List<Voter>> voters = source.voters();
            isAnswering = voters.is(all -> all.stream()
                    .anyMatch(voter -> voter.isOwn() && voter.answer().isPresent()));
            QuorumLoss.Seen seen = new QuorumLoss.Seen(voters, refusal);
            refusal = Optional.empty();
            return seen;
        }

        @Override
        public NextStep<QuorumLoss.State, QuorumLoss.Save> decide(
                QuorumLoss.Seen seen, QuorumLoss.State state, Instant now) {
            return QuorumLoss.decide(seen, state, now);
        }

        @Override
        public QuorumLoss.State perform(QuorumLoss.Save action, QuorumLoss.State state) {
            try {
                Inspection made = isAnswering
                        ? SnapshotSaver.ofLastMember(disk, clock)
                                .save(source.servers(), new SnapshotName(snapshot), new SnapshotRetention.All())
                                .inspection()
                        : copyOfDatabase();
                listener.did("what this node's member has is saved: revision "
                        + made.status().revision() + ", " + made.file().size() + " bytes");
                return state.savedAt(action.applied());
            } catch (ProblemException e) {
                tries++;
                refusal = Optional.of(e.problems().getFirst());
                if (tries == TRIES || refusal.get().code() == ErrorCode.DAMAGED_FILE) {
                    throw e;
                }
                return state;
            }
        }

        /** Nothing is written to it while no majority agrees on anything; what it has is restored without a check sum, as every page of it was read. */
        private Inspection copyOfDatabase() {
            disk.delete(snapshot);
            disk.copy(source.database(), snapshot, Disk.OWNER_ONLY_FILE);
            return SnapshotCheck.inspect(snapshot, EncryptionConfiguration.none());
        }
    }
}
