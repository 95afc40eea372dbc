package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.Patience;
import dev.ouroboros.change.SecondTry;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.core.change.Annotated;
import dev.ouroboros.core.change.PodTrouble;
import dev.ouroboros.core.change.Rollout;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ChangeReport;
import dev.ouroboros.core.merge.Conflict;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.upgrade.Apply;
import dev.ouroboros.core.upgrade.ObjectName;
import dev.ouroboros.core.upgrade.Step;
import dev.ouroboros.core.upgrade.UpgradeMilestone;
import dev.ouroboros.core.upgrade.UpgradeStage;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Does what {@link Apply} decides, step by step, until no step is left or a step cannot be done. An upgrade that was killed at any
 * instruction goes on when it is run again: what the journal does not say is read from the cluster. The steps before the asset directory is
 * written are not journalled and are done anew: nothing was changed until then, and an etcd snapshot of the earlier run would be too old.
 */
public final class Applying {
    private final UpgradeJournalFile notebook;
    private final Function<UpgradeJournal, Chain> chains;
    private final ApplyApi api;
    private final UpgradeTasks deeds;
    private final ApplyListener listener;
    private final Patience patience;

    /** @param chains makes the {@link Chain} of manifests that a journal describes */
    public Applying(
            UpgradeJournalFile notebook,
            Function<UpgradeJournal, Chain> chains,
            ApplyApi api,
            UpgradeTasks deeds,
            ApplyListener listener,
            Patience patience) {
        this.notebook = notebook;
        this.chains = chains;
        this.api = api;
        this.deeds = deeds;
        this.listener = listener;
        this.patience = patience;
    }

    /**
     * Runs the upgrade to its end.
     *
     * @return the conflicts that somebody has to decide first, by object; empty when the upgrade is done
     * @throws ProblemException when it failed
     */
    public Map<ObjectName, List<Conflict>> run(UpgradeJournal begun) {
        UpgradeJournal journal = begun;
        Chain chain = chains.apply(journal);
        SecondTry secondTry = new SecondTry(ending(chain), listener, patience);
        Set<ObjectName> reached = new HashSet<>();
        while (true) {
            UpgradeJournal now = journal;
            Chain way = chain;
            Step step = patience.asking(() -> Apply.decide(now.direction(), now.done(), way::look));
            switch (step) {
                case Step.Finished() -> {
                    return Map.of();
                }
                case Step.Choose(Map<ObjectName, List<Conflict>> conflicts) -> {
                    return conflicts;
                }
                case Step.Perform(UpgradeMilestone mark) -> {
                    journal = perform(journal, chain, mark);
                    if (journal.isDone(UpgradeMilestone.RENDERED)) {
                        notebook.write(journal);
                    }
                    if (mark == UpgradeMilestone.RENDERED) {
                        chain = chains.apply(journal);
                    }
                }
                case Step.Write(UpgradeStage _, List<ObjectName> objects) -> {
                    objects.stream().filter(reached::contains).findFirst().ifPresent(object -> {
                        throw takenBack(way, object);
                    });
                    objects.stream()
                            .filter(object -> patience.asking(() -> write(way, object)))
                            .filter(object -> ObjectName.WORKLOADS.contains(object.kind()))
                            .forEach(reached::add);
                }
                case Step.Wait(UpgradeStage stage, String why) -> {
                    List<ObjectName> workloads = way.target().of(stage).stream()
                            .filter(object -> ObjectName.WORKLOADS.contains(object.kind()))
                            .toList();
                    reached.addAll(workloads);
                    patience.waits(why, patience.asking(() -> trouble(way, workloads)));
                }
                case Step.Stop(UpgradeStage stage, ObjectName object, String why) -> {
                    if (!goesOn(secondTry, way, stage, object, why)) {
                        throw failed(object, why);
                    }
                }
            }
        }
    }

    /** The trouble of the first pod that has any. */
    private String trouble(Chain chain, List<ObjectName> workloads) {
        return workloads.stream()
                .flatMap(name -> {
                    Map<String, String> labels = new TreeMap<>();
                    chain.target()
                            .get(name)
                            .at("spec", "selector", "matchLabels")
                            .fields()
                            .forEach((label, value) -> {
                                value.text().ifPresent(text -> labels.put(label, text));
                            });
                    return api.pods(name.namespace(), labels).stream();
                })
                .flatMap(pod -> PodTrouble.of(pod).stream()
                        .map(trouble -> " (" + pod.at("metadata", "name").text().orElse("pod") + ": "
                                + trouble.replaceAll("back-off \\S+ ", "").replace("\n", "; ") + ")"))
                .findFirst()
                .orElse("");
    }

    private UpgradeJournal perform(UpgradeJournal journal, Chain chain, UpgradeMilestone mark) {
        switch (mark) {
            case SAVED -> {
                UpgradeJournal.Snapshot snapshot = deeds.save(journal);
                patience.did();
                return journal.saved(snapshot).with(mark);
            }
            case HOOKED_BEFORE, HOOKED_AFTER -> deeds.hook(mark, journal);
            case IMAGES -> deeds.images(chain.target());
            case RENDERED -> render(notebook, deeds, journal);
            case ACCEPTED -> {
                deeds.accept();
                listener.did("the cluster does what people need of it");
            }
            case DONE -> {}
        }
        patience.did();
        return journal.with(mark);
    }

    /** The first step with a lasting effect: from here on the next run goes on with this upgrade or takes it back. */
    static void render(UpgradeJournalFile notebook, UpgradeTasks deeds, UpgradeJournal journal) {
        deeds.keep(journal);
        notebook.write(journal);
        notebook.clearOthers(journal);
        deeds.render(journal);
    }

    /** Whether the object was written: it is not if somebody changed it since it was read. */
    private boolean write(Chain chain, ObjectName object) {
        Chain.Plan plan = chain.plan(object);
        boolean isWritten = plan.differs() && chain.write(plan);
        if (isWritten) {
            listener.wrote(object, plan.kept());
            patience.did();
        }
        return isWritten;
    }

    /** For an object that had the target's template in this run and lost it: people or the keeper took it back on purpose. */
    private ProblemException takenBack(Chain chain, ObjectName object) {
        Optional<String> keeper = ending(chain)
                .filter(Rollout.Ending::isBad)
                .map(bad -> "; the keeper says " + bad.word() + ": " + bad.why());
        return ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                object.toString(),
                "was given back to what it was before this upgrade ('ouro change abort', or kubectl)"
                        + keeper.orElse(""),
                "",
                "what ran before runs, and nothing behind it was changed. The same command again goes forward; 'ouro upgrade rollback' takes"
                        + " the rest back too");
    }

    private boolean goesOn(SecondTry secondTry, Chain chain, UpgradeStage stage, ObjectName object, String why) {
        return stage == UpgradeStage.API_SERVER && secondTry.goesOn(ending(chain), why, () -> retry(chain, object));
    }

    private static ProblemException failed(ObjectName object, String why) {
        return ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                object.toString(),
                why,
                "",
                "what ran before still runs, and nothing behind it was changed. Remove the reason and run the same command again,"
                        + " or go back with 'ouro upgrade rollback'");
    }

    private boolean retry(Chain chain, ObjectName object) {
        Json live = api.read(chain.target().get(object)).orElseThrow();
        Json.Fields asked = Annotated.with(live, ChangeReport.RETRY_ANNOTATION, Optional.of(patience.moment()));
        return api.replace(asked) instanceof Outcome.Written;
    }

    /** How the last change of the API server ended, as the keeper says it. */
    private Optional<Rollout.Ending> ending(Chain chain) {
        return patience.asking(() -> chain.target().of(UpgradeStage.API_SERVER).stream()
                .flatMap(name -> api.read(chain.target().get(name)).stream())
                .flatMap(object -> Rollout.ending(object).stream())
                .findFirst());
    }
}
