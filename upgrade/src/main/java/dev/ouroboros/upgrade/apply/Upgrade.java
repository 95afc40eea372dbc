package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.lock.ExclusiveLock;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureDriver;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.merge.Conflict;
import dev.ouroboros.upgrade.merge.Preference;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Brings a cluster to other manifests, and back. The next run continues after an interrupted one, whatever it is asked for: another target
 * or a rollback begins from the state in which the cluster is.
 */
public final class Upgrade {
    private final UpgradeJournalFile journalFile;
    private final ApplyApi api;
    private final ProcedureListener listener;
    private final Patience patience;
    private final ProcedureDriver driver;
    private final Prospect prospect;

    public Upgrade(
            UpgradeJournalFile journalFile,
            ApplyApi api,
            ProcedureListener listener,
            Patience patience,
            InstantSource clock) {
        this(journalFile, api, listener, patience, patience, clock);
    }

    /** @param driver of the procedure; asks for what is around it are the patience's */
    Upgrade(
            UpgradeJournalFile journalFile,
            ApplyApi api,
            ProcedureListener listener,
            Patience patience,
            ProcedureDriver driver,
            InstantSource clock) {
        this.journalFile = journalFile;
        this.api = api;
        this.listener = listener;
        this.patience = patience;
        this.driver = driver;
        this.prospect = new Prospect(journalFile, api, clock);
    }

    /**
     * What is asked for.
     *
     * @param manifests of the target, rendered and not written; empty to go on with what is under way
     * @param differs whether the asset directory is not the target's
     * @param from version of the API server now
     * @param to version of the target
     * @param choice what wins where cluster and target both changed something; empty to stop there
     * @param after options that name what is to be run when the cluster is at its target
     */
    public record Request(
            Optional<NamedManifests> manifests,
            boolean differs,
            String from,
            String to,
            Optional<Preference> choice,
            List<String> after) {
        public Request {
            after = List.copyOf(after);
        }
    }

    /**
     * How the run ended.
     *
     * @param conflicts what somebody has to decide; no later step was done
     * @param leftBehind objects that the target has no more
     * @param wasDone whether there was nothing to do
     */
    public record Outcome(
            Optional<UpgradeJournal> journal,
            Map<ObjectName, List<Conflict>> conflicts,
            List<ObjectName> leftBehind,
            boolean wasDone) {}

    /** Forward. */
    public Outcome apply(Request request, UpgradeTasks tasks) {
        try (ExclusiveLock _ = lock()) {
            Optional<UpgradeJournal> known = journalFile.read();
            Optional<UpgradeJournal> next = prospect.forward(known, request);
            if (next.isEmpty()) {
                return new Outcome(known, Map.of(), List.of(), true);
            }
            UpgradeJournal journal = asking(next.get(), request);
            known.filter(before -> !before.isDone(UpgradeMilestone.DONE) && before.isDone(UpgradeMilestone.RENDERED))
                    .ifPresent(before -> listener.did(
                            journal.isDone(UpgradeMilestone.RENDERED)
                                    ? "going on with the upgrade of " + journal.begun()
                                    : "another target than the one that was under way: going on from there"));
            return run(journal, request.manifests(), () -> {}, tasks);
        }
    }

    /** Whoever goes on says again what is to be run afterwards: the journal has neither the command nor the Job. */
    private static UpgradeJournal asking(UpgradeJournal next, Request request) {
        boolean isToRun = next.isDone(UpgradeMilestone.RENDERED) && !next.isDone(UpgradeMilestone.HOOKED_AFTER);
        List<String> missing = next.after().stream()
                .filter(option -> isToRun && !request.after().contains(option))
                .toList();
        if (!missing.isEmpty()) {
            String options = String.join(" and ", missing);
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    options,
                    "the upgrade of " + next.begun() + " was begun with it, and it has not run yet",
                    options + " again",
                    "add it, with a command or a Job that does nothing where it is not wanted any more");
        }
        return next.asking(request.after());
    }

    /**
     * Goes back to the manifests from before the last upgrade.
     *
     * @param first what is done before all else, by the journal so far, once it is known that nothing stands against going back
     */
    public Outcome rollback(Optional<Preference> choice, Consumer<UpgradeJournal> first, UpgradeTasks tasks) {
        try (ExclusiveLock _ = lock()) {
            Optional<UpgradeJournal> known = journalFile.read();
            if (known.isEmpty()) {
                throw ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "--asset-dir",
                        "no upgrade is known that could be taken back",
                        "an asset directory that 'ouro upgrade apply' changed",
                        "give it with --asset-dir; kubectl rollout undo takes a single change back");
            }
            UpgradeJournal last = known.get();
            boolean isBack = last.direction() == Direction.BACK;
            if (isBack && last.isDone(UpgradeMilestone.DONE)) {
                return new Outcome(known, Map.of(), List.of(), true);
            }
            Request request = new Request(Optional.empty(), false, last.from(), last.from(), choice, List.of());
            UpgradeJournal journal = isBack
                    ? Prospect.choosing(last, request)
                    : last.turning(
                            Direction.BACK, last.from(), Prospect.preference(request), Prospect.isChosen(request));
            return run(journal, Optional.empty(), () -> first.accept(last), tasks);
        }
    }

    /**
     * Goes back by restoring etcd from the saved snapshot: everything that was written since is lost. The asset directory is put back
     * first.
     *
     * @param first what is done before all else, by the journal so far
     * @param restore puts etcd back and starts the cluster from the asset directory; done again when it was interrupted
     */
    public UpgradeJournal restore(Consumer<UpgradeJournal> first, UpgradeTasks tasks, Runnable restore) {
        try (ExclusiveLock _ = lock()) {
            UpgradeJournal last =
                    journalFile.read().orElseThrow(() -> new IllegalStateException("nothing is known to go back to"));
            first.accept(last);
            boolean isOpen = last.direction() == Direction.BACK && !last.isDone(UpgradeMilestone.DONE);
            UpgradeJournal journal = isOpen ? last : last.turning(Direction.BACK, last.from(), Preference.TARGET, true);
            journal = journal.with(UpgradeMilestone.BY_SNAPSHOT);
            journalFile.write(journal);
            if (!journal.isDone(UpgradeMilestone.RENDERED)) {
                ApplyProcedure.render(journalFile, tasks, journal);
                journal = journal.with(UpgradeMilestone.RENDERED);
                journalFile.write(journal);
            }
            restore.run();
            tasks.accept(journal);
            journal = journal.with(UpgradeMilestone.ACCEPTED).with(UpgradeMilestone.DONE);
            journalFile.write(journal);
            return journal;
        }
    }

    /** What is known of the last upgrade that changed anything. */
    public Optional<UpgradeJournal> last() {
        return journalFile.read();
    }

    /** @param first what is done once it is known that there is no conflict */
    private Outcome run(UpgradeJournal journal, Optional<NamedManifests> rendered, Runnable first, UpgradeTasks tasks) {
        Chain chain = prospect.chain(journal, rendered);
        Map<ObjectName, List<Conflict>> early = prospect.conflicts(chain, journal);
        if (!early.isEmpty()) {
            return new Outcome(Optional.of(journal), early, List.of(), false);
        }
        first.run();
        ApplyProcedure procedure = new ApplyProcedure(
                journal, journalFile, now -> prospect.chain(now, rendered), api, tasks, listener, patience);
        ApplyState last = driver.run(procedure, procedure::keep, procedure.begin());
        return new Outcome(journalFile.read(), last.conflicts(), patience.asking(chain::leftBehind), false);
    }

    private ExclusiveLock lock() {
        Path file = journalFile.lock();
        return ExclusiveLock.acquire(file, "upgrading this cluster");
    }
}
