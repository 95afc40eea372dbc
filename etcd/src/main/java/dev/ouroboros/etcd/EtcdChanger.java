package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdChange;
import dev.ouroboros.etcd.decide.EtcdChangeAction;
import dev.ouroboros.etcd.decide.EtcdChangePhase;
import dev.ouroboros.etcd.decide.EtcdChangeSeen;
import dev.ouroboros.etcd.decide.EtcdChangeState;
import dev.ouroboros.etcd.decide.EtcdMemberPod;
import dev.ouroboros.etcd.decide.TemporaryMember;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.ProcedureRun;
import dev.ouroboros.model.procedure.StepOutcome;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.port.Listeners;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.runtime.ContainerRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Gives the member of etcd on this node, a static pod, another manifest, without an outage: the steps are {@link EtcdChange}'s. It may be killed at any
 * instruction and goes on when it is called again with the same file.
 */
public final class EtcdChanger {
    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration REMINDER = Duration.ofSeconds(30);

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
        try (ExclusiveLock _ = UnfinishedChange.lock(disk, options.stateDirectory())) {
            return change(
                    options, new EtcdChangeJournal(disk, UnfinishedChange.CHANGE.directory(options.stateDirectory())));
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
        EtcdCluster cluster =
                new EtcdChangePreflight(disk, runtime, listeners).require(present, wanted, options.stateDirectory());
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
                        EtcdServers.ofMember(begun.servers(), former),
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

    /**
     * Tells what is waited for, each thing at once and again while it takes long. {@link dev.ouroboros.node.procedure.Patience} would take each action of a
     * change for one without effect, as none alters the state: its effect is what etcd shows at the next look.
     */
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
