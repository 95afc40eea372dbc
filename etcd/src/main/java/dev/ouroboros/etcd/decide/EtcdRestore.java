package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what a restore of etcd from a snapshot does next. Pure: the same evidence and state give the same decision.
 *
 * <pre>
 * phase         does                                           until                                   then
 * PREPARING     STAGE                                          staged                                  STOPPING
 *                                                              refused                                 FAILED, nothing was touched
 * STOPPING      KEEP_MANIFEST, then REMOVE_MANIFEST            no manifest, and nothing runs           SWAPPING
 * SWAPPING      SET_ASIDE while data is there, PUT_IN_PLACE    data is there and nothing is staged     STARTING
 * STARTING      WRITE_MANIFEST                                 healthy                                 REFRESHING
 * REFRESHING    END_STALE_SERVERS, RESTART_KUBELET             no stale server, kubelet restarted      DONE
 * ROLLING_BACK  while former data is aside: REMOVE_MANIFEST, wait until nothing runs, SET_REJECTED_ASIDE, PUT_BACK;
 *               then WRITE_MANIFEST                            manifest is there                       FAILED
 * </pre>
 *
 * <p>STOPPING, SWAPPING and STARTING go to ROLLING_BACK when an action is refused or the deadline is over. What always holds:
 *
 * <ul>
 *   <li>Data is only renamed when it is <em>known</em> that no process has it open; unknown waits.
 *   <li>Nothing is ever deleted: former data and rejected data keep a name each.
 *   <li>The kubelet's manifest goes only when our copy of it is on the disk.
 *   <li>Every step is seen by its effect, so a restore that was killed anywhere goes on with the same decisions.
 * </ul>
 */
public final class EtcdRestore {
    /** MaxContainerBackOff in pkg/kubelet: an etcd that crashed for long may wait as long, although it has other data and its manifest is new. */
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(5);

    private final Duration deadline;

    /** @param deadline for each phase between the stop of etcd and its health; the last one has the kubelet's longest back-off besides */
    public EtcdRestore(Duration deadline) {
        this.deadline = deadline;
    }

    public NextStep<RestoreState, RestoreAction> decide(RestoreSeen seen, RestoreState state, Instant now) {
        return switch (state.phase()) {
            case PREPARING -> prepare(seen, state, now);
            case STOPPING -> orGiveUp(stop(seen, state, now), seen, state, now);
            case SWAPPING -> orGiveUp(swap(seen, state, now), seen, state, now);
            case STARTING -> orGiveUp(start(seen, state, now), seen, state, now);
            case REFRESHING -> naming(seen.refusal(), refresh(seen, state, now));
            case ROLLING_BACK -> naming(seen.refusal(), rollBack(seen, state, now));
            case DONE, FAILED -> NextStep.end(state);
        };
    }

    private static NextStep<RestoreState, RestoreAction> prepare(RestoreSeen seen, RestoreState state, Instant now) {
        if (seen.refusal().isPresent()) {
            return move(state.failing(RestorePhase.FAILED, seen.refusal().get(), now));
        }
        if (Evidence.isTrue(seen.staged())) {
            return move(state.moveTo(RestorePhase.STOPPING, now));
        }
        return Evidence.isFalse(seen.staged())
                ? act(state, RestoreAction.STAGE)
                : await(state, "a look at etcd's data directory" + seen.staged().because());
    }

    private static NextStep<RestoreState, RestoreAction> stop(RestoreSeen seen, RestoreState state, Instant now) {
        if (Evidence.isTrue(seen.manifest())) {
            return Evidence.isTrue(seen.kept())
                    ? act(state, RestoreAction.REMOVE_MANIFEST)
                    : Evidence.isFalse(seen.kept())
                            ? act(state, RestoreAction.KEEP_MANIFEST)
                            : await(
                                    state,
                                    "the copy of etcd's manifest" + seen.kept().because());
        }
        if (!Evidence.isFalse(seen.manifest())) {
            return await(state, "a look at etcd's manifest" + seen.manifest().because());
        }
        return Evidence.isFalse(seen.running())
                ? move(state.moveTo(RestorePhase.SWAPPING, now))
                : await(state, "the end of etcd's container" + seen.running().because());
    }

    private static NextStep<RestoreState, RestoreAction> swap(RestoreSeen seen, RestoreState state, Instant now) {
        if (!Evidence.isFalse(seen.running())) {
            return await(state, "the end of etcd's container" + seen.running().because());
        }
        boolean staged = Evidence.isTrue(seen.staged());
        if (staged && Evidence.isTrue(seen.data())) {
            return act(state, RestoreAction.SET_ASIDE);
        }
        if (staged && Evidence.isFalse(seen.data())) {
            return act(state, RestoreAction.PUT_IN_PLACE);
        }
        return Evidence.isFalse(seen.staged()) && Evidence.isTrue(seen.data())
                ? move(state.moveTo(RestorePhase.STARTING, now))
                : await(state, "the restored data, which is not there");
    }

    private static NextStep<RestoreState, RestoreAction> start(RestoreSeen seen, RestoreState state, Instant now) {
        if (Evidence.isFalse(seen.manifest())) {
            return act(state, RestoreAction.WRITE_MANIFEST);
        }
        return Evidence.isTrue(seen.manifest()) && Evidence.isTrue(seen.healthy())
                ? move(state.moveTo(RestorePhase.REFRESHING, now))
                : await(
                        state,
                        "etcd to be healthy with the restored data"
                                + seen.healthy().because());
    }

    /** Without a deadline: the data is restored, and a server that is ending may take its time. */
    private static NextStep<RestoreState, RestoreAction> refresh(RestoreSeen seen, RestoreState state, Instant now) {
        if (Evidence.isTrue(seen.stale())) {
            return act(state, RestoreAction.END_STALE_SERVERS).awaiting("the end of API servers of before");
        }
        if (!Evidence.isFalse(seen.stale())) {
            return await(
                    state, "a look at this machine's processes" + seen.stale().because());
        }
        return seen.kubeletRestarted()
                ? move(state.moveTo(RestorePhase.DONE, now))
                : act(state, RestoreAction.RESTART_KUBELET);
    }

    private static NextStep<RestoreState, RestoreAction> rollBack(RestoreSeen seen, RestoreState state, Instant now) {
        if (Evidence.isTrue(seen.aside())) {
            if (Evidence.isTrue(seen.manifest())) {
                return act(state, RestoreAction.REMOVE_MANIFEST);
            }
            if (!Evidence.isFalse(seen.manifest()) || !Evidence.isFalse(seen.running())) {
                return await(
                        state, "the end of etcd's container" + seen.running().because());
            }
            if (Evidence.isTrue(seen.data())) {
                return act(state, RestoreAction.SET_REJECTED_ASIDE);
            }
            return Evidence.isFalse(seen.data())
                    ? act(state, RestoreAction.PUT_BACK)
                    : await(
                            state,
                            "a look at etcd's data directory" + seen.data().because());
        }
        if (!Evidence.isFalse(seen.aside())) {
            return await(state, "a look at etcd's data directory" + seen.aside().because());
        }
        if (Evidence.isFalse(seen.manifest())) {
            return act(state, RestoreAction.WRITE_MANIFEST);
        }
        return Evidence.isTrue(seen.manifest())
                ? move(state.moveTo(RestorePhase.FAILED, now))
                : await(state, "a look at etcd's manifest" + seen.manifest().because());
    }

    /** Where nothing is given up, what was refused is tried again, and said. */
    private static NextStep<RestoreState, RestoreAction> naming(
            Optional<Problem> refusal, NextStep<RestoreState, RestoreAction> step) {
        return refusal.filter(_ -> step.action().isPresent())
                .map(problem -> step.awaiting("another try, as the last one was refused: " + problem.describe()))
                .orElse(step);
    }

    /** A step that only waits, or repeats what was refused, ends with the former data instead. */
    private NextStep<RestoreState, RestoreAction> orGiveUp(
            NextStep<RestoreState, RestoreAction> step, RestoreSeen seen, RestoreState state, Instant now) {
        boolean moves = step.state().phase() != state.phase();
        if (moves) {
            return step;
        }
        if (seen.refusal().isPresent()) {
            return move(state.failing(RestorePhase.ROLLING_BACK, seen.refusal().get(), now));
        }
        Duration patience = state.phase() == RestorePhase.STARTING ? deadline.plus(LONGEST_BACK_OFF) : deadline;
        if (Duration.between(state.since(), now).compareTo(patience) < 0) {
            return step;
        }
        Problem late = new Problem(
                ErrorCode.TIMEOUT,
                "restore of etcd",
                "after " + patience.toSeconds() + " s it still waits for "
                        + step.action().map(Enum::name).orElse(step.waitingFor()),
                "",
                "see etcd's log");
        return move(state.failing(RestorePhase.ROLLING_BACK, late, now));
    }

    private static NextStep<RestoreState, RestoreAction> move(RestoreState state) {
        return NextStep.move(state);
    }

    private static NextStep<RestoreState, RestoreAction> act(RestoreState state, RestoreAction action) {
        return NextStep.act(state, action);
    }

    private static NextStep<RestoreState, RestoreAction> await(RestoreState state, String what) {
        return NextStep.await(state, what);
    }
}
