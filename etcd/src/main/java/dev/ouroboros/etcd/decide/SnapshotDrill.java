package dev.ouroboros.etcd.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides how a snapshot is tried: restored by etcd's own tool, served by an etcd of its own beside the one that runs, compared with the file, and cleared away. Pure.
 *
 * <pre>
 * phase     does                              until                                                  then
 * CLEARING  Stop, Discard                     nothing of a drill before is left                      SERVING
 * SERVING   Start                             the key space is compared, or it did not come to that  LEAVING
 * LEAVING   Stop, Discard                     nothing of it is left                                  DONE
 * </pre>
 *
 * <p>Nothing has to be remembered: what a drill that was killed has left, the next one clears away first.
 */
public final class SnapshotDrill {
    private final String file;
    private final Duration limit;

    /**
     * Of one snapshot.
     *
     * @param file its name, for people
     * @param limit how long it may take until the restored etcd serves
     */
    public SnapshotDrill(String file, Duration limit) {
        this.file = file;
        this.limit = limit;
    }

    /** Where it stands. */
    public enum Phase {
        CLEARING,
        SERVING,
        LEAVING,
        DONE
    }

    /**
     * What is remembered from step to step.
     *
     * @param begun when SERVING began
     * @param failure why the snapshot is no good; empty as long as nothing speaks against it
     */
    public record State(Phase phase, Optional<Instant> begun, Optional<Problem> failure) {
        public static State initial() {
            return new State(Phase.CLEARING, Optional.empty(), Optional.empty());
        }

        /** Only clears away. */
        public static State leaving() {
            return new State(Phase.LEAVING, Optional.empty(), Optional.empty());
        }
    }

    /**
     * The key space at the snapshot's revision.
     *
     * @param restored its hash, as the restored etcd says
     * @param file its hash, as read from the file
     */
    public record Hashes(long restored, long file) {}

    /**
     * What is seen.
     *
     * @param manifest whether the kubelet has one of a drill
     * @param runs whether a container of it may run
     * @param data whether there are data of one
     * @param restore exit code of etcd's tool, once it has ended; asked in SERVING
     * @param hashes of an etcd that serves; asked in SERVING
     * @param refusal why the last action came to nothing
     */
    public record Seen(
            Evidence<Boolean> manifest,
            Evidence<Boolean> runs,
            Evidence<Boolean> data,
            Evidence<Integer> restore,
            Evidence<Hashes> hashes,
            Optional<Problem> refusal) {}

    /** What can be done. */
    public enum Action {
        /** Writes the manifest. */
        START,
        /** Removes the manifest. */
        STOP,
        /** Deletes the data. */
        DISCARD
    }

    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        NextStep<State, Action> step = switch (state.phase()) {
            case CLEARING -> clear(seen, state, new State(Phase.SERVING, Optional.of(now), Optional.empty()));
            case SERVING -> serve(seen, state, now);
            case LEAVING -> clear(seen, state, new State(Phase.DONE, state.begun(), state.failure()));
            case DONE -> NextStep.end(state);
        };
        return step.afterRefusal(seen.refusal());
    }

    private static NextStep<State, Action> clear(Seen seen, State state, State then) {
        if (!Evidence.isFalse(seen.manifest())) {
            return Evidence.isTrue(seen.manifest())
                    ? act(state, Action.STOP, "the drill's etcd to be stopped")
                    : NextStep.await(
                            state,
                            "a look at the drill's manifest",
                            seen.manifest().because());
        }
        if (!Evidence.isFalse(seen.runs())) {
            return NextStep.await(
                    state, "the end of the drill's etcd", seen.runs().because());
        }
        if (!Evidence.isFalse(seen.data())) {
            return Evidence.isTrue(seen.data())
                    ? act(state, Action.DISCARD, "the drill's data to be deleted")
                    : NextStep.await(
                            state, "a look at the drill's data", seen.data().because());
        }
        return NextStep.move(then);
    }

    private NextStep<State, Action> serve(Seen seen, State state, Instant now) {
        if (seen.restore() instanceof Known<Integer>(Integer code) && code != 0) {
            return failed(
                    state,
                    ErrorCode.DAMAGED_FILE,
                    "could not be restored: etcd's tool ended with " + code,
                    "see what container " + SnapshotDrillPod.RESTORE + " wrote, below /var/log/pods");
        }
        if (seen.hashes() instanceof Known<Hashes>(Hashes hashes)) {
            return hashes.restored() == hashes.file()
                    ? NextStep.move(new State(Phase.LEAVING, state.begun(), Optional.empty()))
                    : failed(
                            state,
                            ErrorCode.DAMAGED_FILE,
                            "is another key space when it is restored (hash " + hashes.restored()
                                    + ") than the one in the file (" + hashes.file() + ")",
                            "take another snapshot");
        }
        Instant begun = state.begun().orElse(now);
        if (Duration.between(begun, now).compareTo(limit) > 0) {
            boolean isRestored = seen.restore() instanceof Known<Integer>;
            return failed(
                    state,
                    ErrorCode.TIMEOUT,
                    (isRestored ? "was restored, and no etcd served it" : "was not restored") + " within "
                            + limit.toSeconds() + " s"
                            + (isRestored
                                    ? seen.hashes().because()
                                    : seen.restore().because()),
                    "see what its containers wrote, below /var/log/pods");
        }
        return Evidence.isFalse(seen.manifest())
                ? act(state, Action.START, "the restored etcd to serve")
                : NextStep.await(
                        state, "the restored etcd to serve", seen.hashes().because());
    }

    private NextStep<State, Action> failed(State state, ErrorCode code, String what, String next) {
        Problem problem = new Problem(code, file, what, "a snapshot that an etcd can serve", next);
        return NextStep.move(new State(Phase.LEAVING, state.begun(), Optional.of(problem)));
    }

    private static NextStep<State, Action> act(State state, Action action, String awaited) {
        return NextStep.act(state, action).awaiting(awaited);
    }
}
