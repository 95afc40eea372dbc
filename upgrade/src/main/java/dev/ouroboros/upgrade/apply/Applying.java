package dev.ouroboros.upgrade.apply;

import dev.ouroboros.change.Patience;
import dev.ouroboros.change.SecondTry;
import dev.ouroboros.cluster.ClusterWriter.Outcome;
import dev.ouroboros.core.change.Annotated;
import dev.ouroboros.core.change.Rollout;
import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.ChangeReport;
import dev.ouroboros.core.merge.Conflict;
import dev.ouroboros.core.problem.ErrorCode;
import dev.ouroboros.core.problem.ProblemException;
import dev.ouroboros.core.upgrade.Apply;
import dev.ouroboros.core.upgrade.Mark;
import dev.ouroboros.core.upgrade.ObjectName;
import dev.ouroboros.core.upgrade.Stage;
import dev.ouroboros.core.upgrade.Step;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Does what {@link Apply} decides, step by step, until nothing is left or something stands against it. Killed at any instruction and run
 * again it goes on: what is not written in the journal is seen in the cluster.
 */
public final class Applying {
    private final Notebook notebook;
    private final Function<Journal, Chain> chains;
    private final ApplyApi api;
    private final Deeds deeds;
    private final ApplyListener listener;
    private final Patience patience;

    /** @param chains the way of the manifests, as a journal says it */
    public Applying(
            Notebook notebook,
            Function<Journal, Chain> chains,
            ApplyApi api,
            Deeds deeds,
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
     * Goes to the end.
     *
     * @return what somebody has to choose first, by object; empty when it is done
     * @throws ProblemException when it failed
     */
    public Map<ObjectName, List<Conflict>> run(Journal begun) {
        Journal journal = begun;
        Chain chain = chains.apply(journal);
        SecondTry secondTry = new SecondTry(ending(chain), listener, patience);
        while (true) {
            Journal now = journal;
            Chain way = chain;
            Step step = patience.asking(() -> Apply.decide(now.direction(), now.done(), way::look));
            switch (step) {
                case Step.Finished() -> {
                    return Map.of();
                }
                case Step.Choose(Map<ObjectName, List<Conflict>> conflicts) -> {
                    return conflicts;
                }
                case Step.Perform(Mark mark) -> {
                    journal = perform(journal, chain, mark);
                    notebook.write(journal);
                    if (mark == Mark.RENDERED) {
                        chain = chains.apply(journal);
                    }
                }
                case Step.Write(Stage _, List<ObjectName> objects) ->
                    objects.forEach(object -> patience.asking(() -> write(way, object)));
                case Step.Wait(Stage _, String why) -> patience.waits(why);
                case Step.Stop(Stage stage, ObjectName object, String why) -> {
                    if (!goesOn(secondTry, way, stage, object, why)) {
                        throw failed(object, why);
                    }
                }
            }
        }
    }

    private Journal perform(Journal journal, Chain chain, Mark mark) {
        switch (mark) {
            case SAVED -> {
                Journal.Snapshot snapshot = deeds.save(journal);
                patience.did();
                return journal.saved(snapshot).with(mark);
            }
            case HOOKED_BEFORE, HOOKED_AFTER -> deeds.hook(mark, journal);
            case IMAGES -> deeds.images(chain.target());
            case RENDERED -> deeds.render(journal);
            case ACCEPTED -> {
                deeds.accept();
                listener.did("the cluster does what people need of it");
            }
            case DONE -> {}
        }
        patience.did();
        return journal.with(mark);
    }

    private boolean write(Chain chain, ObjectName object) {
        Chain.Plan plan = chain.plan(object);
        if (plan.differs() && chain.write(plan)) {
            listener.wrote(object, plan.kept());
            patience.did();
        }
        return true;
    }

    private boolean goesOn(SecondTry secondTry, Chain chain, Stage stage, ObjectName object, String why) {
        return stage == Stage.API_SERVER && secondTry.goesOn(ending(chain), why, () -> retry(chain, object));
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
        return patience.asking(() -> chain.target().of(Stage.API_SERVER).stream()
                .flatMap(name -> api.read(chain.target().get(name)).stream())
                .flatMap(object -> Rollout.ending(object).stream())
                .findFirst());
    }
}
