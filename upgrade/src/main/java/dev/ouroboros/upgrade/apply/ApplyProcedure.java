package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.SecondTry;
import dev.ouroboros.change.decide.Annotated;
import dev.ouroboros.change.decide.HeldRollout;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.keeper.decide.ChangeReport;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.PodTrouble;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import dev.ouroboros.node.procedure.Patience;
import dev.ouroboros.node.procedure.ProcedureListener;
import dev.ouroboros.upgrade.decide.Apply;
import dev.ouroboros.upgrade.decide.Direction;
import dev.ouroboros.upgrade.decide.ObjectName;
import dev.ouroboros.upgrade.decide.RoleMove;
import dev.ouroboros.upgrade.decide.Step;
import dev.ouroboros.upgrade.decide.UpgradeMilestone;
import dev.ouroboros.upgrade.decide.UpgradeStage;
import dev.ouroboros.upgrade.merge.Conflict;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Does what {@link Apply} decides, until no step is left or a step cannot be done. An upgrade that was killed at any
 * instruction goes on when it is run again: what the journal does not say is read from the cluster. The steps before the asset directory is
 * written are not journalled and are done anew: nothing was changed until then, and an etcd snapshot of the earlier run would be too old.
 */
final class ApplyProcedure implements Procedure<ApplyState, ApplySeen, ApplyAction> {
    /** What asks API servers, and is of their version. */
    private static final Set<UpgradeStage> AFTER_API_SERVERS =
            EnumSet.of(UpgradeStage.CONTROLLER_MANAGER, UpgradeStage.SCHEDULER, UpgradeStage.PROXY);

    private final UpgradeJournalFile journalFile;
    private final Function<UpgradeJournal, Chain> chains;
    private final ApplyApi api;
    private final UpgradeTasks tasks;
    private final ProcedureListener listener;
    private final Patience patience;
    private Chain chain;
    private UpgradeJournal written;

    /**
     * Nothing is asked yet.
     *
     * @param begun as the run begins
     * @param chains makes the {@link Chain} of manifests that a journal describes
     */
    ApplyProcedure(
            UpgradeJournal begun,
            UpgradeJournalFile journalFile,
            Function<UpgradeJournal, Chain> chains,
            ApplyApi api,
            UpgradeTasks tasks,
            ProcedureListener listener,
            Patience patience) {
        this.journalFile = journalFile;
        this.chains = chains;
        this.api = api;
        this.tasks = tasks;
        this.listener = listener;
        this.patience = patience;
        this.chain = chains.apply(begun);
        this.written = begun;
    }

    /** The state of a run that begins; it sees how the last change of the API server ended. */
    ApplyState begin() {
        return new ApplyState(written, 0, Set.of(), SecondTry.after(patience.asking(this::ending)), Map.of());
    }

    /** Before the asset directory is the target's there is nothing that the next run must know. */
    void keep(ApplyState state) {
        if (state.journal().isDone(UpgradeMilestone.RENDERED)
                && !state.journal().equals(written)) {
            journalFile.write(state.journal());
            written = state.journal();
        }
    }

    @Override
    public ApplySeen look(ApplyState state) {
        UpgradeJournal journal = state.journal();
        Step next = afterEarlierServers(Apply.decide(journal.direction(), journal.done(), chain::look), journal);
        return switch (next) {
            case Step.Write _, Step.Stop _ -> new ApplySeen(next, ending(), List.of(), "");
            case Step.Wait(UpgradeStage stage, String _) -> {
                List<ObjectName> workloads = chain.target().of(stage).stream()
                        .filter(object -> ObjectName.WORKLOADS.contains(object.kind()))
                        .toList();
                yield new ApplySeen(next, Optional.empty(), workloads, trouble(workloads));
            }
            case Step.Perform _, Step.Choose _, Step.Finished _, Step.Replace _ ->
                new ApplySeen(next, Optional.empty(), List.of(), "");
        };
    }

    /**
     * Going forward no other part becomes newer than an API server that may come yet, in the place of another or of a node's checkpoint: one of the version before would be asked by what is newer. Rotations wait for
     * the same; going back all others are older already.
     */
    private Step afterEarlierServers(Step next, UpgradeJournal journal) {
        boolean isOfAnother = next instanceof Step.Write(UpgradeStage stage, List<ObjectName> _)
                && AFTER_API_SERVERS.contains(stage)
                && journal.direction() == Direction.FORWARD;
        return isOfAnother
                ? chain.earlierServers()
                        .<Step>map(why -> new Step.Wait(
                                UpgradeStage.API_SERVER,
                                why + "; a node that does not come back is to be deleted: kubectl delete node"))
                        .orElse(next)
                : next;
    }

    /** The trouble of the first pod that has any. */
    private String trouble(List<ObjectName> workloads) {
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

    /** How the last change of the API server ended, as the keeper says it. */
    private Optional<Rollout.Ending> ending() {
        return chain.target().of(UpgradeStage.API_SERVER).stream()
                .flatMap(name -> api.read(chain.target().get(name)).stream())
                .flatMap(object -> Rollout.ending(object).stream())
                .findFirst();
    }

    @Override
    public NextStep<ApplyState, ApplyAction> decide(ApplySeen seen, ApplyState state, Instant now) {
        return switch (seen.next()) {
            case Step.Finished() -> NextStep.end(state);
            case Step.Choose(Map<ObjectName, List<Conflict>> conflicts) -> NextStep.end(state.stoppedBy(conflicts));
            case Step.Perform(UpgradeMilestone mark) -> NextStep.act(state, new ApplyAction.Reach(mark));
            case Step.Write(UpgradeStage _, List<ObjectName> objects) -> {
                state.lost(objects).ifPresent(object -> {
                    throw takenBack(object, seen.ending());
                });
                yield NextStep.act(state, new ApplyAction.Write(objects));
            }
            case Step.Wait(UpgradeStage _, String why) ->
                NextStep.await(state.reaching(seen.workloads()), why, seen.trouble());
            case Step.Replace(ObjectName object, HeldRollout.Next held) ->
                NextStep.act(state, (ApplyAction) new ApplyAction.Replace(held))
                        .awaiting(object + " to be of the template");
            case Step.Stop(UpgradeStage stage, ObjectName object, String why) ->
                Optional.of(stage)
                        .filter(stopped -> stopped == UpgradeStage.API_SERVER)
                        .flatMap(_ -> state.secondTry()
                                .step(state, seen.ending(), (ApplyAction) new ApplyAction.Retry(object, why)))
                        .orElseThrow(() -> failed(object, why));
        };
    }

    /** For an object that had the target's template in this run and lost it: people or the keeper took it back on purpose. */
    private static ProblemException takenBack(ObjectName object, Optional<Rollout.Ending> ending) {
        Optional<String> keeper =
                ending.filter(Rollout.Ending::isBad).map(bad -> "; the keeper says " + bad.word() + ": " + bad.why());
        return ProblemException.of(
                ErrorCode.CHANGE_REFUSED,
                object.toString(),
                "was given back to what it was before this upgrade ('ouro change abort', or kubectl)"
                        + keeper.orElse(""),
                "",
                "what ran before runs, and nothing behind it was changed. The same command again goes forward; 'ouro upgrade rollback' takes"
                        + " the rest back too");
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

    @Override
    public ApplyState perform(ApplyAction action, ApplyState state) {
        return switch (action) {
            case ApplyAction.Reach(UpgradeMilestone mark) ->
                state.with(reach(mark, state.journal()).with(mark));
            case ApplyAction.Write(List<ObjectName> objects) -> {
                List<ObjectName> changed = objects.stream()
                        .filter(object -> patience.asking(() -> write(object)))
                        .toList();
                yield state.havingWritten(changed)
                        .reaching(changed.stream()
                                .filter(object -> ObjectName.WORKLOADS.contains(object.kind()))
                                .toList());
            }
            case ApplyAction.Replace(HeldRollout.Next held) -> {
                if (patience.asking(() -> api.delete(held.pod())) instanceof Outcome.Written) {
                    listener.did(held.told());
                }
                yield state;
            }
            case ApplyAction.Retry(ObjectName object, String why) -> retry(object, why, state);
        };
    }

    private UpgradeJournal reach(UpgradeMilestone mark, UpgradeJournal journal) {
        switch (mark) {
            case SAVED -> {
                return journal.saved(tasks.save(journal));
            }
            case HOOKED_BEFORE, HOOKED_AFTER -> tasks.hook(mark, journal);
            case IMAGES -> tasks.images(chain.target());
            case RENDERED -> {
                render(journalFile, tasks, journal);
                chain = chains.apply(journal.with(mark));
            }
            case ACCEPTED -> {
                tasks.accept(journal);
                listener.did("the cluster does what people need of it");
                Set<String> followers = patience.asking(chain::followers);
                if (!followers.isEmpty()) {
                    listener.did("away: node " + String.join(", ", followers)
                            + "; what runs there becomes the target's when it is back");
                }
            }
            case BY_SNAPSHOT, DONE -> {}
        }
        return journal;
    }

    /** The first step with a lasting effect: from here on the next run goes on with this upgrade or takes it back. */
    static void render(UpgradeJournalFile journalFile, UpgradeTasks tasks, UpgradeJournal journal) {
        tasks.keep(journal);
        journalFile.write(journal);
        journalFile.clearOthers(journal);
        tasks.render(journal);
    }

    /** Whether the object was written: it is not if somebody changed it since it was read. */
    private boolean write(ObjectName object) {
        Chain.Plan plan = chain.plan(object);
        if (plan.differs()) {
            RoleMove.between(plan.live(), plan.wanted()).ifPresent(api::label);
        }
        boolean isWritten = plan.differs() && chain.write(plan);
        if (isWritten) {
            listener.did("changed " + object);
            plan.kept().forEach(path -> listener.did("  kept as it was changed in the cluster: " + path));
        }
        return isWritten;
    }

    private ApplyState retry(ObjectName object, String why, ApplyState state) {
        boolean isAsked = patience.asking(() -> {
            Json live = api.read(chain.target().get(object)).orElseThrow();
            Json.Fields asked = Annotated.with(live, ChangeReport.RETRY_ANNOTATION, Optional.of(patience.moment()));
            return api.replace(asked) instanceof Outcome.Written;
        });
        if (isAsked) {
            listener.did(SecondTry.told(why));
        }
        return isAsked ? state.havingAsked() : state;
    }
}
