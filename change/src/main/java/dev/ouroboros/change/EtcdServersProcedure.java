package dev.ouroboros.change;

import dev.ouroboros.change.EtcdServersProcedure.Action;
import dev.ouroboros.change.EtcdServersProcedure.Seen;
import dev.ouroboros.change.EtcdServersProcedure.State;
import dev.ouroboros.change.decide.Rollout;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.EtcdServersFlag;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.procedure.NextStep;
import dev.ouroboros.model.procedure.Procedure;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Has API servers look for etcd at other URLs, and waits until each does. What is to be done is seen in the cluster alone. */
final class EtcdServersProcedure implements Procedure<State, Seen, Action> {
    private static final String DAEMON_SET = "DaemonSet kube-system/kube-apiserver";

    private final ControlPlaneObjects plane;
    private final List<String> urls;
    private final Supplier<String> moment;

    /**
     * Nothing is asked yet.
     *
     * @param urls that are to be known
     * @param moment differs each time
     */
    EtcdServersProcedure(ControlPlaneObjects plane, List<String> urls, Supplier<String> moment) {
        this.plane = plane;
        this.urls = List.copyOf(urls);
        this.moment = moment;
    }

    /** @param hasChanged whether this run wrote the template */
    record State(SecondTry secondTry, boolean hasChanged) {}

    /** @param waitedFor API servers of an earlier template; empty when there are none */
    record Seen(Json daemonSet, Optional<String> waitedFor) {}

    /** What can be done. */
    sealed interface Action {
        record Change(Json.Fields daemonSet) implements Action {}

        record Retry(Json daemonSet) implements Action {}
    }

    static State begin(Json daemonSet) {
        return new State(SecondTry.after(Rollout.ending(daemonSet)), false);
    }

    @Override
    public Seen look(State state) {
        Json set = plane.daemonSet();
        return new Seen(set, plane.earlierServers(set));
    }

    @Override
    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        Optional<Rollout.Ending> ending = Rollout.ending(seen.daemonSet());
        if (state.secondTry().hasFailed(ending)) {
            throw failed(
                    ending.orElseThrow().word() + ": " + ending.orElseThrow().why());
        }
        boolean isAsWanted = EtcdServersFlag.of(seen.daemonSet()).equals(urls);
        if (!isAsWanted && state.hasChanged()) {
            throw ProblemException.of(
                    ErrorCode.CHANGE_REFUSED,
                    DAEMON_SET,
                    "its --etcd-servers was changed by somebody else meanwhile",
                    String.join(",", urls),
                    "see who did, and run the same command again");
        }
        Rollout rollout = Rollout.ofDaemonSet(seen.daemonSet()).unless(seen.waitedFor());
        return switch (rollout) {
            case Rollout.Moving(String why) -> NextStep.await(state, why);
            case Rollout.Settled() ->
                isAsWanted
                        ? NextStep.end(state)
                        : NextStep.act(state, new Action.Change(EtcdServersFlag.with(seen.daemonSet(), urls)));
            case Rollout.Stopped(String why) ->
                isAsWanted
                        ? state.secondTry()
                                .step(state, ending, (Action) new Action.Retry(seen.daemonSet()))
                                .orElseThrow(() -> failed(why))
                        : NextStep.act(state, new Action.Change(EtcdServersFlag.with(seen.daemonSet(), urls)));
        };
    }

    private static ProblemException failed(String why) {
        return ProblemException.of(
                ErrorCode.COMPONENT_FAILED,
                "kube-system",
                why,
                "",
                "nothing is lost: what ran before still runs. Remove the reason and run the same command again, or take the change back with 'ouro change abort'");
    }

    /** Somebody may have changed the DaemonSet since it was read: then it is read again. */
    @Override
    public State perform(Action action, State state) {
        return switch (action) {
            case Action.Change(Json.Fields set) ->
                plane.retry(set, moment.get()) ? new State(state.secondTry(), true) : state;
            case Action.Retry(Json set) ->
                plane.retry(set, moment.get()) ? new State(state.secondTry().havingAsked(), state.hasChanged()) : state;
        };
    }
}
