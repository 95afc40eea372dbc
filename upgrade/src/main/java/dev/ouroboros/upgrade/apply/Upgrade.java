package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.Patience;
import dev.ouroboros.core.merge.Conflict;
import dev.ouroboros.core.merge.Preference;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.upgrade.Direction;
import dev.ouroboros.core.upgrade.Mark;
import dev.ouroboros.core.upgrade.ObjectName;
import dev.ouroboros.core.upgrade.Stage;
import dev.ouroboros.node.lock.ExclusiveLock;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Brings a cluster to other manifests, and back. What an interrupted run was at is finished by the next, whatever it is asked for: another
 * target or the way back begin where the cluster is.
 */
public final class Upgrade {
    private final Notebook notebook;
    private final ApplyApi api;
    private final ApplyListener listener;
    private final Patience patience;
    private final InstantSource clock;

    public Upgrade(Notebook notebook, ApplyApi api, ApplyListener listener, Patience patience, InstantSource clock) {
        this.notebook = notebook;
        this.api = api;
        this.listener = listener;
        this.patience = patience;
        this.clock = clock;
    }

    /**
     * What is asked for.
     *
     * @param manifests of the target, rendered and not written; empty to go on with what is under way
     * @param differs whether the asset directory is not the target's
     * @param from version of the API server now
     * @param to version of the target
     * @param choice what stands where cluster and target both changed something; empty to stop there
     */
    public record Request(
            Optional<Manifests> manifests, boolean differs, String from, String to, Optional<Preference> choice) {}

    /**
     * How it ended.
     *
     * @param conflicts what somebody has to choose; nothing behind it was done
     * @param leftBehind objects that the target has no more
     * @param wasDone whether there was nothing to do
     */
    public record Outcome(
            Optional<Journal> journal,
            Map<ObjectName, List<Conflict>> conflicts,
            List<ObjectName> leftBehind,
            boolean wasDone) {}

    /** Forward. */
    public Outcome apply(Request request, Deeds deeds) {
        try (ExclusiveLock _ = lock()) {
            Optional<Journal> known = notebook.read();
            boolean isOpen = known.isPresent() && !known.get().isDone(Mark.DONE);
            boolean isRendered = isOpen && known.get().isDone(Mark.RENDERED);
            boolean isForward = known.isPresent() && known.get().direction() == Direction.FORWARD;
            if (request.manifests().isEmpty() && !(isOpen && isForward)) {
                throw ProblemException.of(
                        ErrorCode.BAD_USAGE,
                        "TARGET",
                        isOpen ? "a rollback is under way" : "no upgrade is under way",
                        "TARGET, or --config with what is to change",
                        isOpen
                                ? "ouro upgrade rollback goes on with it"
                                : "add one of them; ouro upgrade plan shows the way there");
            }
            if (!isOpen && !request.differs()) {
                return new Outcome(known, Map.of(), List.of(), true);
            }
            Journal journal;
            if (isRendered && isForward && !request.differs()) {
                journal = choosing(known.get(), request);
                listener.did("going on with the upgrade of " + journal.begun());
            } else if (isOpen && !isRendered) {
                journal = choosing(restart(known.get(), request), request);
            } else if (isOpen) {
                journal = known.get().turning(Direction.FORWARD, request.to(), preference(request), isChosen(request));
                listener.did("another target than the one that was under way: going on from there");
            } else {
                journal = fresh(request);
            }
            return run(journal, request.manifests(), deeds);
        }
    }

    /** Back to the manifests of before the last upgrade. */
    public Outcome rollback(Optional<Preference> choice, Deeds deeds) {
        try (ExclusiveLock _ = lock()) {
            Optional<Journal> known = notebook.read();
            if (known.isEmpty()) {
                throw ProblemException.of(
                        ErrorCode.NOT_FOUND,
                        "--asset-dir",
                        "no upgrade is known that could be taken back",
                        "an asset directory that 'ouro upgrade apply' changed",
                        "give it with --asset-dir; kubectl rollout undo takes a single change back");
            }
            Journal last = known.get();
            boolean isBack = last.direction() == Direction.BACK;
            if (isBack && last.isDone(Mark.DONE)) {
                return new Outcome(known, Map.of(), List.of(), true);
            }
            boolean isBegun = notebook.isKept(last, last.preferences().size() - 1);
            if (!isBack && !isBegun && last.preferences().size() == 1) {
                // Its target was never written anywhere.
                Journal none = last.leaving();
                notebook.write(none);
                return new Outcome(Optional.of(none), Map.of(), List.of(), true);
            }
            if (!isBack && !isBegun) {
                last = last.withoutLast();
            }
            Request request = new Request(Optional.empty(), false, last.from(), last.from(), choice);
            Journal journal = isBack
                    ? choosing(last, request)
                    : last.turning(Direction.BACK, last.from(), preference(request), isChosen(request));
            return run(journal, Optional.empty(), deeds);
        }
    }

    /**
     * Back with etcd itself, which is put back to what was saved: everything that was written since is lost. The asset directory goes first.
     *
     * @param restore puts etcd back and starts the cluster from the asset directory; done again when it was interrupted
     */
    public Journal restore(Deeds deeds, Runnable restore) {
        try (ExclusiveLock _ = lock()) {
            Journal last =
                    notebook.read().orElseThrow(() -> new IllegalStateException("nothing is known to go back to"));
            boolean isOpen = last.direction() == Direction.BACK && !last.isDone(Mark.DONE);
            Journal journal = isOpen ? last : last.turning(Direction.BACK, last.from(), Preference.TARGET, true);
            notebook.write(journal);
            if (!journal.isDone(Mark.RENDERED)) {
                deeds.render(journal);
                journal = journal.with(Mark.RENDERED);
                notebook.write(journal);
            }
            restore.run();
            deeds.accept();
            journal = journal.with(Mark.ACCEPTED).with(Mark.DONE);
            notebook.write(journal);
            return journal;
        }
    }

    /** What is known of the last upgrade. */
    public Optional<Journal> last() {
        return notebook.read();
    }

    private Outcome run(Journal journal, Optional<Manifests> rendered, Deeds deeds) {
        Chain chain = chain(journal, rendered);
        Map<ObjectName, List<Conflict>> early = journal.chosen() ? Map.of() : conflicts(chain, journal);
        if (!early.isEmpty()) {
            return new Outcome(Optional.of(journal), early, List.of(), false);
        }
        notebook.write(journal);
        notebook.clearOthers(journal);
        Map<ObjectName, List<Conflict>> late =
                new Applying(notebook, now -> chain(now, rendered), api, deeds, listener, patience).run(journal);
        return new Outcome(notebook.read(), late, chain.leftBehind(), false);
    }

    private Chain chain(Journal journal, Optional<Manifests> rendered) {
        Manifests target = journal.isDone(Mark.RENDERED)
                ? notebook.current()
                : journal.direction() == Direction.BACK
                        ? notebook.former(journal)
                        : rendered.orElseThrow(() -> new IllegalStateException("what is not rendered has a target"));
        return new Chain(notebook.hops(journal), target, journal.chosen(), api);
    }

    /** Of all stages, before anything is changed. */
    private Map<ObjectName, List<Conflict>> conflicts(Chain chain, Journal journal) {
        Map<ObjectName, List<Conflict>> conflicts = new LinkedHashMap<>();
        for (Stage stage : Stage.order(journal.direction())) {
            chain.look(stage).objects().stream()
                    .filter(object -> !object.conflicts().isEmpty())
                    .forEach(object -> conflicts.put(object.name(), object.conflicts()));
        }
        return conflicts;
    }

    private Journal fresh(Request request) {
        return new Journal(
                Long.toString(clock.instant().toEpochMilli(), Character.MAX_RADIX),
                Direction.FORWARD,
                request.from(),
                request.to(),
                clock.instant(),
                List.of(preference(request)),
                isChosen(request),
                Set.of(),
                Optional.empty());
    }

    /** Nothing of its last change was begun: it is another one now. */
    private static Journal restart(Journal known, Request request) {
        if (request.manifests().isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "TARGET",
                    "the upgrade of " + known.begun() + " was interrupted before its target was written down",
                    "the same TARGET and --config again",
                    "run ouro upgrade apply with the same arguments as then");
        }
        return known.withoutLast().turning(Direction.FORWARD, request.to(), preference(request), isChosen(request));
    }

    private static Journal choosing(Journal known, Request request) {
        return request.choice().map(choice -> known.choosing(choice, true)).orElse(known);
    }

    private static Preference preference(Request request) {
        return request.choice().orElse(Preference.LIVE);
    }

    private static boolean isChosen(Request request) {
        return request.choice().isPresent();
    }

    private ExclusiveLock lock() {
        Path file = notebook.lock();
        return ExclusiveLock.acquire(file, "upgrading this cluster");
    }
}
