package dev.ouroboros.etcd.membership.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.util.Optional;

/**
 * Decides what a node does to become one with a member of etcd: it asks for a certificate, and starts its member when who has etcd's authority lets it ({@link MemberAddition}). Pure.
 *
 * <pre>
 * phase       does                                       until                                                              then
 * ASKING      Ask                                        it is granted a member ID, and has nothing of another member       INSTALLING
 * INSTALLING  Install keys, certificates, the manifest   the member votes and follows the leader                            DONE
 * LEAVING     Stop, Discard                              nothing of it is left                                              FAILED
 * </pre>
 *
 * <p>ASKING goes to FAILED when the request is refused. Data and keys of another member stay: it waits until somebody moves them away. INSTALLING goes to LEAVING only when the list is known to have no such member any more, and the
 * request is refused or gone: what votes is never wiped. What is discarded was written by this join.
 */
public final class MemberJoin {
    private MemberJoin() {}

    /** Where it stands. */
    public enum Phase {
        ASKING,
        INSTALLING,
        LEAVING,
        DONE,
        FAILED
    }

    /** @param failure why it was given up; empty as long as it was not */
    public record State(Phase phase, Optional<String> failure) {
        public static State initial() {
            return new State(Phase.ASKING, Optional.empty());
        }

        private static State in(Phase phase) {
            return new State(phase, Optional.empty());
        }

        private static State failing(Phase phase, String why) {
            return new State(phase, Optional.of(why));
        }
    }

    /**
     * What is seen.
     *
     * @param request the node's own
     * @param manifest whether the kubelet has one of etcd
     * @param runs whether a container of it may run
     * @param left what there is of a member, as its data or keys, by its place; empty when nothing is. Asked once the places are known, with the grant
     * @param room what the disk lacks for a member's data; empty when nothing. Asked with the grant, before there is a manifest
     * @param member the node's own, as the others have it on their list; asked once there is a manifest
     * @param refusal why the last action came to nothing
     */
    public record Seen(
            Evidence<Optional<Request>> request,
            Evidence<Boolean> manifest,
            Evidence<Boolean> runs,
            Evidence<Optional<String>> left,
            Evidence<Optional<String>> room,
            Evidence<Optional<ListedMember>> member,
            Optional<Problem> refusal) {}

    /**
     * The node's request.
     *
     * @param refused why there will be no certificate, or no member any more; empty as long as nobody has said so
     * @param isGranted whether it is signed and names the member that may be started
     */
    public record Request(Optional<String> refused, boolean isGranted) {}

    /** What can be done. */
    public enum Action {
        /** Asks for a certificate. */
        ASK,
        /** Writes keys, certificates and, last, the manifest. */
        INSTALL,
        /** Removes the manifest. */
        STOP,
        /** Removes data and keys. */
        DISCARD
    }

    public static NextStep<State, Action> decide(Seen seen, State state) {
        NextStep<State, Action> step = switch (state.phase()) {
            case ASKING -> ask(seen, state);
            case INSTALLING -> install(seen, state);
            case LEAVING -> leave(seen, state);
            case DONE, FAILED -> NextStep.end(state);
        };
        return step.afterRefusal(seen.refusal());
    }

    private static NextStep<State, Action> ask(Seen seen, State state) {
        if (!(seen.request() instanceof Known<Optional<Request>>(Optional<Request> request))) {
            return NextStep.await(state, "an answer of the API", seen.request().because());
        }
        if (request.isEmpty()) {
            return act(state, Action.ASK, "the request to be there");
        }
        if (request.get().refused().isPresent()) {
            return NextStep.move(
                    State.failing(Phase.FAILED, request.get().refused().get()));
        }
        if (!request.get().isGranted()) {
            return NextStep.await(
                    state,
                    "a certificate and the leave to start: run 'ouro etcd add' with this node's name where etcd's authority is");
        }
        if (!Evidence.isFalse(seen.manifest())) {
            return Evidence.isTrue(seen.manifest())
                    ? NextStep.move(State.failing(Phase.FAILED, "somebody else has written a manifest of etcd"))
                    : NextStep.await(
                            state, "a look at etcd's manifest", seen.manifest().because());
        }
        return switch (seen.left()) {
            case Unknown<Optional<String>>(String why) -> NextStep.await(state, "a look at etcd's data", ": " + why);
            case Known<Optional<String>>(Optional<String> left) ->
                left.map(place -> NextStep.<State, Action>await(
                                state, place + ", which is of another member, to be moved away, if it is of no use"))
                        .orElseGet(() -> enter(seen, state));
        };
    }

    private static NextStep<State, Action> enter(Seen seen, State state) {
        return switch (seen.room()) {
            case Unknown<Optional<String>>(String why) -> NextStep.await(state, "a look at etcd's disk", ": " + why);
            case Known<Optional<String>>(Optional<String> lack) ->
                lack.map(what -> NextStep.<State, Action>await(state, "room for etcd's data", ": " + what))
                        .orElseGet(() -> NextStep.move(State.in(Phase.INSTALLING)));
        };
    }

    private static NextStep<State, Action> install(Seen seen, State state) {
        if (!(seen.manifest() instanceof Known<Boolean>(Boolean isInstalled))) {
            return NextStep.await(
                    state, "a look at etcd's manifest", seen.manifest().because());
        }
        Optional<String> refused = refused(seen.request());
        if (!isInstalled) {
            return refused.map(why -> NextStep.<State, Action>move(State.failing(Phase.LEAVING, why)))
                    .orElseGet(() -> act(state, Action.INSTALL, "the kubelet to start etcd"));
        }
        return switch (seen.member()) {
            case Unknown<Optional<ListedMember>>(String why) ->
                NextStep.await(state, "an answer of the other members", ": " + why);
            case Known<Optional<ListedMember>>(Optional<ListedMember> own) -> {
                if (own.isEmpty()) {
                    yield refused.map(why -> NextStep.<State, Action>move(State.failing(Phase.LEAVING, why)))
                            .orElseGet(() -> NextStep.await(state, "the member to be on the others' list"));
                }
                if (!own.get().isCurrent()) {
                    yield NextStep.await(state, "the member to run and to have the data");
                }
                yield own.get().isLearner()
                        ? NextStep.await(state, "the member to vote")
                        : NextStep.move(State.in(Phase.DONE));
            }
        };
    }

    /** Why the node may not go on; one that is gone was, too: the controller manager deletes requests an hour after they were signed. */
    private static Optional<String> refused(Evidence<Optional<Request>> seen) {
        return seen instanceof Known<Optional<Request>>(Optional<Request> request)
                ? request.map(Request::refused).orElseGet(() -> Optional.of("its request is gone"))
                : Optional.empty();
    }

    private static NextStep<State, Action> leave(Seen seen, State state) {
        if (!Evidence.isFalse(seen.manifest())) {
            return Evidence.isTrue(seen.manifest())
                    ? act(state, Action.STOP, "the member to be stopped")
                    : NextStep.await(
                            state, "a look at etcd's manifest", seen.manifest().because());
        }
        if (!Evidence.isFalse(seen.runs())) {
            return NextStep.await(state, "the end of the member", seen.runs().because());
        }
        return switch (seen.left()) {
            case Unknown<Optional<String>>(String why) -> NextStep.await(state, "a look at etcd's data", ": " + why);
            case Known<Optional<String>>(Optional<String> left) ->
                left.isPresent()
                        ? act(state, Action.DISCARD, "its data to be removed")
                        : NextStep.move(new State(Phase.FAILED, state.failure()));
        };
    }

    private static NextStep<State, Action> act(State state, Action action, String awaited) {
        return NextStep.act(state, action).awaiting(awaited);
    }
}
