package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.decide.EtcdChange;
import dev.ouroboros.etcd.decide.EtcdChangeAction;
import dev.ouroboros.etcd.decide.EtcdChangePhase;
import dev.ouroboros.etcd.decide.EtcdChangeSeen;
import dev.ouroboros.etcd.decide.EtcdChangeState;
import dev.ouroboros.etcd.decide.LoneEtcdPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.runtime.ContainerRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Gives the etcd of this node, a static pod and the only member, another manifest, without an outage: the steps are {@link EtcdChange}'s. It may be killed at any
 * instruction and goes on when it is called again with the same file.
 */
public final class EtcdChanger {
    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration REMINDER = Duration.ofSeconds(30);
    /** Of each temporary member, besides a copy of the database: two files of its log, made ahead, and a snapshot. */
    private static final long ROOM = 256L << 20;

    private final Disk disk;
    private final ContainerRuntime runtime;
    private final Listeners listeners;
    private final InstantSource clock;
    private final ProcedureListener listener;

    /**
     * For the changes of one process.
     *
     * @param clock that does not jump: deadlines are counted on it
     */
    public EtcdChanger(
            Disk disk, ContainerRuntime runtime, Listeners listeners, InstantSource clock, ProcedureListener listener) {
        this.disk = disk;
        this.runtime = runtime;
        this.listeners = listeners;
        this.clock = clock;
        this.listener = listener;
    }

    /** What became of a change. */
    public enum Outcome {
        CHANGED,
        /** The kubelet would not start etcd anew: nothing was done. */
        SAME
    }

    /**
     * Changes etcd.
     *
     * @throws ProblemException CHANGE_REFUSED and others before anything was done; COMPONENT_FAILED when etcd is as before; TIMEOUT when the next call goes on
     */
    public Outcome change(EtcdChangeOptions options) throws InterruptedException {
        Path directory = options.stateDirectory().resolve(StateLayout.ETCD_CHANGE);
        disk.createDirectories(directory, Disk.OWNER_ONLY_DIRECTORY);
        try (ExclusiveLock _ = ExclusiveLock.acquire(directory.resolve("lock"), "a change of etcd")) {
            return change(options, new EtcdChangeJournal(disk, directory));
        }
    }

    private Outcome change(EtcdChangeOptions options, EtcdChangeJournal journal) throws InterruptedException {
        String target = text(options.file(), "the new manifest of etcd's static pod", "name the file that has it");
        LoneEtcdPod wanted = LoneEtcdPod.of(options.file().toString(), target);
        Optional<EtcdChangeState> before = journal.read().filter(state -> isUnfinished(state, target, journal));
        if (before.isPresent()) {
            LoneEtcdPod former = LoneEtcdPod.of(
                    options.manifest().toString(),
                    text(journal.former(), "the manifest of before", "write it there yourself, then go on"));
            listener.did("going on: " + before.get().phase().description());
            return run(options, former, target, journal, before.get().resumed(clock.instant()));
        }
        LoneEtcdPod present = LoneEtcdPod.of(
                options.manifest().toString(),
                text(
                        options.manifest(),
                        "the manifest of the etcd that this node's kubelet runs",
                        "name it with --etcd-manifest"));
        if (present.isSameAs(wanted)) {
            return Outcome.SAME;
        }
        present.requireChangeableTo(wanted);
        require(present, wanted);
        EtcdChangeState state = EtcdChangeState.initial(clock.instant());
        journal.begin(present.text(), target, state);
        return run(options, present, target, journal, state);
    }

    private String text(Path file, String expected, String next) {
        return disk.readText(file.toAbsolutePath())
                .orElseThrow(() ->
                        ProblemException.of(ErrorCode.NOT_FOUND, file.toString(), "does not exist", expected, next));
    }

    /** What has ended, and was killed while it said so, is forgotten. */
    private boolean isUnfinished(EtcdChangeState state, String target, EtcdChangeJournal journal) {
        if (state.phase().isFinal()) {
            return disk.readText(journal.target()).equals(Optional.of(target));
        }
        if (!disk.readText(journal.target()).equals(Optional.of(target))) {
            throw ProblemException.of(
                    ErrorCode.LOCKED,
                    journal.target().toString(),
                    "a change to this manifest has begun and not ended",
                    "the same manifest",
                    "end it first: ouro etcd change " + journal.target());
        }
        return true;
    }

    /** @throws ProblemException with what forbids to begin */
    private void require(LoneEtcdPod present, LoneEtcdPod wanted) {
        if (!runtime.hasImage(wanted.image())) {
            throw ProblemException.of(
                    ErrorCode.UNUSABLE_IMAGE,
                    wanted.file() + ": image",
                    wanted.image() + " is not on this node",
                    "an image that is there: nobody may be able to pull one while etcd is away",
                    "pull or load it first: ouro images load");
        }
        new ClientDoors(present).requireKnown(listeners);
        EtcdCluster cluster = new EtcdClusterSource(servers(present)).look();
        if (cluster.members().size() != 1) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "has " + cluster.members().size() + " members",
                    "one",
                    "change the manifests of several by hand, one after the other, the leader last: the others serve meanwhile");
        }
        if (!(cluster.alarms() instanceof Known<List<Alarm>>(List<Alarm> alarms)) || !alarms.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "etcd",
                    "has an alarm that nobody has disarmed, or does not tell: " + cluster.alarms(),
                    "none",
                    "see what it is about: ouro doctor, ouro etcd status");
        }
        requireRoom(present, cluster);
    }

    private static void requireRoom(LoneEtcdPod present, EtcdCluster cluster) {
        long database =
                cluster.told().mapToLong(EtcdMemberStatus::databaseBytes).max().orElse(0);
        long needed = TemporaryMember.values().length * (database + ROOM);
        Path directory = Path.of(present.etcd().dataDirectory());
        try {
            long free = Files.getFileStore(directory).getUsableSpace();
            if (free < needed) {
                throw ProblemException.of(
                        ErrorCode.DISK,
                        directory.toString(),
                        "has " + (free >> 20) + " MiB free",
                        (needed >> 20) + " MiB, for two temporary members",
                        "make room, or move etcd to a larger disk");
            }
        } catch (IOException e) {
            throw FileTrouble.of(directory, "cannot be asked how much is free", e);
        }
    }

    /** Every member that may answer, with the keys that etcd itself has: they are a client's too. */
    private static EtcdServers servers(LoneEtcdPod etcd) {
        return EtcdServers.of(
                List.of(
                        etcd.clientUrl(Optional.empty()),
                        etcd.clientUrl(Optional.of(TemporaryMember.SECOND_DOOR)),
                        etcd.clientUrl(Optional.of(TemporaryMember.THIRD_VOTE))),
                new ClientFiles(
                        etcd.fileOnNode("trusted-ca-file").map(Path::of),
                        etcd.fileOnNode("cert-file").map(Path::of),
                        etcd.fileOnNode("key-file").map(Path::of)));
    }

    private Outcome run(
            EtcdChangeOptions options,
            LoneEtcdPod former,
            String target,
            EtcdChangeJournal journal,
            EtcdChangeState begun)
            throws InterruptedException {
        ClientDoors doors = new ClientDoors(former);
        EtcdChangeWork work = new EtcdChangeWork(
                new EtcdChange(options.deadline()),
                former,
                target,
                options.manifest(),
                new EtcdChangeWork.Surroundings(
                        disk,
                        runtime,
                        new HttpEtcdProbe(former.etcd(), listeners),
                        servers(former),
                        doors::connections),
                listener::did);
        ProcedureRun<EtcdChangeState, EtcdChangeSeen, EtcdChangeAction> run =
                new ProcedureRun<>(work, journal, begun, clock);
        Waiting waiting = new Waiting(options.deadline());
        StepOutcome outcome;
        do {
            outcome = run.step();
            if (outcome instanceof StepOutcome.Waits(String what, String detail)) {
                waiting.on(run.state().phase(), what, detail);
                Thread.sleep(TICK);
            }
        } while (!(outcome instanceof StepOutcome.Ended));
        journal.end();
        run.state().failure().ifPresent(why -> {
            throw ProblemException.of(
                    ErrorCode.COMPONENT_FAILED,
                    options.file().toString(),
                    "etcd was not changed, and is as before: " + why,
                    "an etcd that runs with this manifest",
                    "see its container's log: ouro explain etcd; or give it more time with --timeout");
        });
        return Outcome.CHANGED;
    }

    /** Tells what is waited for, each thing at once and again while it takes long. */
    private final class Waiting {
        private final Duration deadline;
        private EtcdChangePhase phase = EtcdChangePhase.DONE;
        private String said = "";
        private Instant since = Instant.MIN;
        private Instant told = Instant.MIN;

        Waiting(Duration deadline) {
            this.deadline = deadline;
        }

        /** @throws ProblemException TIMEOUT when a phase that is not given up takes too long */
        void on(EtcdChangePhase now, String what, String detail) {
            Instant moment = clock.instant();
            boolean isNew = now != phase || !what.equals(said);
            if (isNew) {
                phase = now;
                said = what;
                since = moment;
            }
            if (isNew || Duration.between(told, moment).compareTo(REMINDER) >= 0) {
                told = moment;
                listener.waits(what + detail, Duration.between(since, moment));
            }
            // Phases that can be given up are, before that.
            if (Duration.between(since, moment).compareTo(deadline.multipliedBy(2)) > 0) {
                throw ProblemException.of(
                        ErrorCode.TIMEOUT,
                        "--timeout",
                        "nothing moved for " + deadline.multipliedBy(2).toSeconds() + " s: " + what + detail,
                        "",
                        "run the same command again: it goes on; ouro etcd status");
            }
        }
    }
}
