package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.etcd.EtcdAlarms.Alarm;
import dev.ouroboros.etcd.decide.EtcdChange;
import dev.ouroboros.etcd.decide.EtcdChangeAction;
import dev.ouroboros.etcd.decide.EtcdChangePhase;
import dev.ouroboros.etcd.decide.EtcdChangeSeen;
import dev.ouroboros.etcd.decide.EtcdChangeState;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.facts.EtcdTools;
import dev.ouroboros.model.asset.StateLayout;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.FileTrouble;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.model.version.KubernetesVersion;
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
import java.util.Set;

/**
 * Gives the member of etcd on this node, a static pod, another manifest, without an outage: the steps are {@link EtcdChange}'s. It may be killed at any
 * instruction and goes on when it is called again with the same file.
 */
public final class EtcdChanger {
    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration REMINDER = Duration.ofSeconds(30);
    /** etcd's own limit of a database (storage/quota.go, DefaultQuotaBytes). */
    private static final long DEFAULT_QUOTA = 2L << 30;

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
        EtcdMemberPod wanted = EtcdMemberPod.of(options.file().toString(), target);
        Optional<EtcdChangeJournal.Entry> before =
                journal.read().filter(entry -> isUnfinished(entry.state(), target, journal));
        if (before.isPresent()) {
            EtcdChangeJournal.Entry entry = before.get();
            EtcdMemberPod former = EtcdMemberPod.of(
                    entry.manifest().toString(),
                    text(journal.former(), "the manifest of before", "write it there yourself, then go on"));
            listener.did("going on: " + entry.state().phase().description());
            EtcdChangeState state = entry.state().resumed(clock.instant());
            return run(
                    options,
                    former,
                    wanted,
                    journal,
                    new EtcdChangeJournal.Entry(entry.manifest(), entry.servers(), state));
        }
        EtcdMemberPod present = EtcdMemberPod.of(
                options.manifest().toString(),
                text(
                        options.manifest(),
                        "the manifest of the etcd that this node's kubelet runs",
                        "name it with --etcd-manifest"));
        if (present.isSameAs(wanted)) {
            return Outcome.SAME;
        }
        present.requireChangeableTo(wanted);
        requireNoRestore(options.stateDirectory());
        EtcdCluster cluster = require(present, wanted);
        boolean isAlone = cluster.members().size() == 1;
        EtcdChangeJournal.Entry entry = new EtcdChangeJournal.Entry(
                options.manifest(),
                isAlone
                        ? withTemporary(present)
                        : cluster.members().stream()
                                .flatMap(member -> member.clientUrls().stream())
                                .toList(),
                EtcdChangeState.initial(isAlone, clock.instant()));
        journal.begin(present.text(), target, entry);
        return run(options, present, wanted, journal, entry);
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

    private void requireNoRestore(Path stateDirectory) {
        if (ExclusiveLock.isHeld(stateDirectory.resolve(StateLayout.LOCK))
                || RestoreJournal.isIn(disk, Restoration.Target.directoryIn(stateDirectory))) {
            throw ProblemException.of(
                    ErrorCode.LOCKED,
                    stateDirectory.toString(),
                    "an 'ouro start' is under way, or has not ended",
                    "a cluster that runs",
                    "let it end first: ouro start");
        }
    }

    /** @throws ProblemException with what forbids to begin */
    private EtcdCluster require(EtcdMemberPod present, EtcdMemberPod wanted) {
        if (!runtime.hasImage(wanted.image())) {
            throw ProblemException.of(
                    ErrorCode.UNUSABLE_IMAGE,
                    wanted.file() + ": image",
                    wanted.image() + " is not on this node",
                    "an image that is there: nobody may be able to pull one while etcd is away",
                    "pull or load it first: ouro images load");
        }
        EtcdCluster cluster = new EtcdClusterSource(servers(List.of(present.clientUrl()), present)).look();
        requireListed(cluster, present);
        requireMajorityWithoutOne(cluster);
        requireNoAlarm(cluster);
        cluster.told().forEach(status -> requireFollower(status, wanted));
        if (cluster.members().size() == 1) {
            new ClientDoors(present, listeners).requireKnown();
            requireRoom(present, cluster);
        } else {
            new ClientDoors(present, listeners)
                    .requireOthersKnown(cluster.members().stream()
                            .filter(member -> !member.clientUrls().contains(present.clientUrl()))
                            .flatMap(member -> member.clientUrls().stream())
                            .toList());
        }
        return cluster;
    }

    private static void requireListed(EtcdCluster cluster, EtcdMemberPod present) {
        boolean isListed = cluster.members().stream()
                .anyMatch(member -> Set.copyOf(member.peerUrls()).equals(Set.copyOf(present.peerUrls())));
        if (!isListed) {
            EtcdMember first = cluster.members().getFirst();
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "has no member at " + String.join(", ", present.peerUrls())
                            + ", as after a restore by etcd's own tool: " + first.title() + " is at "
                            + String.join(", ", first.peerUrls()),
                    "a member where its manifest says",
                    "tell it: etcdctl member update " + first.id() + " --peer-urls="
                            + String.join(",", present.peerUrls()));
        }
    }

    /** One alone gets two more. */
    private static void requireMajorityWithoutOne(EtcdCluster cluster) {
        int members = cluster.members().size();
        if (members != 1 && (members < 3 || cluster.following().size() < members)) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "has " + members + " members, of which "
                            + cluster.following().size() + " vote and follow the leader",
                    "one member, or three and more that all do",
                    "see what is wrong: ouro etcd status");
        }
    }

    private static void requireNoAlarm(EtcdCluster cluster) {
        String found = switch (cluster.alarms()) {
            case Unknown<List<Alarm>>(String why) -> "does not tell its alarms: " + why;
            case Known<List<Alarm>>(List<Alarm> alarms) ->
                alarms.isEmpty() ? "" : "has the alarm " + alarms.getFirst().kind();
        };
        if (!found.isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    "etcd",
                    found,
                    "none",
                    "see what it is about: ouro doctor, ouro etcd status");
        }
    }

    /** Requires that what runs may become what is wanted, and keeps its data. */
    private static void requireFollower(EtcdMemberStatus status, EtcdMemberPod wanted) {
        Optional<EtcdTools.Oldest> oldest = wanted.etcd().version().flatMap(new EtcdTools()::oldestBefore);
        Optional<KubernetesVersion> runs = KubernetesVersion.parse(status.version());
        if (runs.filter(now -> now.compareTo(KubernetesVersion.of(3, 4)) < 0).isPresent()) {
            throw ProblemException.of(
                    ErrorCode.UNSUPPORTED_CLUSTER,
                    "etcd",
                    "is of " + runs.get() + ", which has no learners",
                    "3.4 or later",
                    "change it by hand, with an outage");
        }
        boolean isNextMinor = runs.isPresent()
                && wanted.etcd()
                        .version()
                        .filter(then -> then.minor() > runs.get().minor())
                        .isPresent();
        if (isNextMinor
                && oldest.isPresent()
                && runs.get().compareTo(oldest.get().etcd()) < 0) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    wanted.file() + ": image",
                    "is of " + wanted.etcd().version().orElseThrow() + ", and etcd runs as " + runs.get(),
                    oldest.get().etcd() + " or later first (" + oldest.get().source() + ")",
                    "change etcd to the latest release of its minor version first");
        }
        long quota = wanted.quota().orElse(DEFAULT_QUOTA);
        if (status.databaseBytes() >= quota / 10 * 9) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    wanted.file() + ": --quota-backend-bytes",
                    "allows " + (quota >> 20) + " MiB, and the database has " + (status.databaseBytes() >> 20)
                            + ": etcd would take no writes any more",
                    "more than the database has, with a tenth to spare",
                    "raise it, or make the database smaller: etcdctl defrag");
        }
    }

    private static void requireRoom(EtcdMemberPod present, EtcdCluster cluster) {
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

    private boolean isFormer(Path manifest, EtcdMemberPod former) {
        return disk.readText(manifest).equals(Optional.of(former.text()));
    }

    private static boolean raisesMinor(EtcdMemberPod former, EtcdMemberPod target) {
        return former.etcd()
                .version()
                .flatMap(now -> target.etcd().version().filter(then -> then.minor() > now.minor()))
                .isPresent();
    }

    /** Where an only member and its temporary ones may answer. */
    private static List<String> withTemporary(EtcdMemberPod etcd) {
        return List.of(
                etcd.clientUrl(),
                etcd.clientUrl(TemporaryMember.SECOND_DOOR),
                etcd.hiddenClientUrl(TemporaryMember.SECOND_DOOR),
                etcd.clientUrl(TemporaryMember.THIRD_VOTE));
    }

    /** With the keys that etcd itself has: they are a client's too. */
    private static EtcdServers servers(List<String> urls, EtcdMemberPod etcd) {
        return EtcdServers.of(
                urls,
                new ClientFiles(
                        etcd.fileOnNode("trusted-ca-file").map(Path::of),
                        etcd.fileOnNode("cert-file").map(Path::of),
                        etcd.fileOnNode("key-file").map(Path::of)));
    }

    private Outcome run(
            EtcdChangeOptions options,
            EtcdMemberPod former,
            EtcdMemberPod target,
            EtcdChangeJournal journal,
            EtcdChangeJournal.Entry begun)
            throws InterruptedException {
        ClientDoors doors = new ClientDoors(former, listeners);
        EtcdChangeWork work = new EtcdChangeWork(
                new EtcdChange(options.deadline(), raisesMinor(former, target)),
                former,
                target.text(),
                begun.manifest(),
                new EtcdChangeWork.Surroundings(
                        disk,
                        runtime,
                        new HttpEtcdProbe(former.etcd(), listeners),
                        new HttpEtcdProbe(target.etcd(), listeners),
                        servers(begun.servers(), former),
                        doors::connections),
                listener::did);
        ProcedureRun<EtcdChangeState, EtcdChangeSeen, EtcdChangeAction> run =
                new ProcedureRun<>(work, journal.of(begun), begun.state(), clock);
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
                    (isFormer(begun.manifest(), former)
                                    ? "etcd was not changed, and is as before: "
                                    : "etcd is not well: ")
                            + why,
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
