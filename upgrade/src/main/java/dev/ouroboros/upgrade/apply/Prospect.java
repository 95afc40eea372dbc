package dev.ouroboros.upgrade.apply;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.upgrade.apply.Upgrade.Request;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.Conflict;
import dev.ouroboros.upgrade.merge.Preference;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How an upgrade would begin or go on, and the conflicts that stop it. Writes nothing: {@code plan} asks the same as {@code apply}. */
public final class Prospect {
    private final UpgradeJournalFile journalFile;
    private final ApplyApi api;
    private final InstantSource clock;

    public Prospect(UpgradeJournalFile journalFile, ApplyApi api, InstantSource clock) {
        this.journalFile = journalFile;
        this.api = api;
        this.clock = clock;
    }

    /** What somebody has to choose before {@code apply} does anything. */
    public Map<ObjectName, List<Conflict>> conflicts(Request request) {
        return forward(journalFile.read(), request)
                .map(journal -> conflicts(chain(journal, request.manifests()), journal))
                .orElseGet(Map::of);
    }

    /**
     * The journal with which the upgrade goes forward; empty when there is nothing to do.
     *
     * @throws ProblemException BAD_USAGE when nothing is under way and no target is given
     */
    Optional<UpgradeJournal> forward(Optional<UpgradeJournal> known, Request request) {
        boolean isOpen = known.isPresent() && !known.get().isDone(UpgradeMilestone.DONE);
        boolean isRendered = isOpen && known.get().isDone(UpgradeMilestone.RENDERED);
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
        if (!isOpen) {
            return request.differs() ? Optional.of(fresh(request)) : Optional.empty();
        }
        if (isRendered && isForward && !request.differs()) {
            return Optional.of(choosing(known.get(), request));
        }
        return Optional.of(
                isRendered
                        ? known.get().turning(Direction.FORWARD, request.to(), preference(request), isChosen(request))
                        : choosing(restart(known.get(), request), request));
    }

    private UpgradeJournal fresh(Request request) {
        return new UpgradeJournal(
                Long.toString(clock.instant().toEpochMilli(), Character.MAX_RADIX),
                Direction.FORWARD,
                request.from(),
                request.to(),
                clock.instant(),
                List.of(preference(request)),
                isChosen(request),
                Set.of(),
                Optional.empty(),
                List.of());
    }

    /** No part of the journal's last change has reached the cluster: a new change replaces it. */
    private static UpgradeJournal restart(UpgradeJournal known, Request request) {
        if (request.manifests().isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "TARGET",
                    "the upgrade of " + known.begun() + " was interrupted before its target was written down",
                    "the same TARGET and --config again",
                    "run ouro upgrade apply with the same arguments as then");
        }
        UpgradeJournal again =
                known.withoutLast().turning(Direction.FORWARD, request.to(), preference(request), isChosen(request));
        return again.preferences().size() == 1 ? again.unsaved() : again;
    }

    /** The journal with this request's choice, if it has one. */
    static UpgradeJournal choosing(UpgradeJournal known, Request request) {
        return request.choice().map(choice -> known.choosing(choice, true)).orElse(known);
    }

    static Preference preference(Request request) {
        return request.choice().orElse(Preference.LIVE);
    }

    static boolean isChosen(Request request) {
        return request.choice().isPresent();
    }

    /** @param rendered the target's manifests, until the asset directory has them */
    Chain chain(UpgradeJournal journal, Optional<NamedManifests> rendered) {
        NamedManifests target = journal.isDone(UpgradeMilestone.RENDERED)
                ? journalFile.current()
                : journal.direction() == Direction.BACK
                        ? journalFile.former(journal)
                        : rendered.orElseThrow(() -> new IllegalStateException("what is not rendered has a target"));
        return new Chain(journalFile.hops(journal), target, journal.chosen(), api);
    }

    /** The conflicts of all stages, before anything is changed. */
    Map<ObjectName, List<Conflict>> conflicts(Chain chain, UpgradeJournal journal) {
        if (journal.chosen()) {
            return Map.of();
        }
        Map<ObjectName, List<Conflict>> conflicts = new LinkedHashMap<>();
        for (UpgradeStage stage : UpgradeStage.order(journal.direction())) {
            chain.look(stage).objects().stream()
                    .filter(object -> !object.conflicts().isEmpty())
                    .forEach(object -> conflicts.put(object.name(), object.conflicts()));
        }
        return conflicts;
    }
}
