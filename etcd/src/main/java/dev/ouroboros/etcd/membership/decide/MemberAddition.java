package dev.ouroboros.etcd.membership.decide;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what is next on the way of a node's member into an etcd, at the side of who has etcd's authority; the node's own side is {@link MemberJoin}. Pure.
 *
 * <pre>
 * phase        does                                                          until                                                then
 * ASKED        Sign the node's request                                       it is signed, and no learner of before is listed     ADDING
 * ADDING       AddLearner                                                    the list has a learner at the node's address         JOINING
 * JOINING      Grant: the node may start it. Promote                         it has run, follows closely for five seconds, votes  PROVING
 * PROVING      compares data, closes the request                             it follows the leader, and its data are the same     DONE
 * WITHDRAWING  Withdraw the grant, Remove the learner                        both are gone                                        FAILED
 * </pre>
 *
 * <p>JOINING goes to WITHDRAWING when the deadline is over, and PROVING to FAILED: what votes is not taken away again by itself. What always holds:
 *
 * <ul>
 *   <li>Nothing is begun while another member does not follow the leader, another one is a learner, or etcd has an alarm.
 *   <li>A learner gets a vote only when it has run and follows: until then nothing depends on it.
 *   <li>A grant is for one member ID, and a node starts with an empty data directory only with one: a learner for which there is none (what added it was killed) is removed, and another one added.
 *   <li>What is done is seen in etcd and in the request, so that this can be killed anywhere; a state outlives its process only in them.
 * </ul>
 */
public final class MemberAddition {
    /** etcd itself wants a connection of five seconds before it changes members again (server.go, isConnectedFullySince). */
    private static final Duration CONNECTED = Duration.ofSeconds(5);

    private final String node;
    private final Duration deadline;

    /**
     * For one node.
     *
     * @param deadline after which a learner that does not follow is taken away again
     */
    public MemberAddition(String node, Duration deadline) {
        this.node = node;
        this.deadline = deadline;
    }

    /** Where it stands. */
    public enum Phase {
        ASKED,
        ADDING,
        JOINING,
        PROVING,
        WITHDRAWING,
        DONE,
        FAILED
    }

    /**
     * What is remembered from step to step.
     *
     * @param since when the phase began
     * @param steadySince since when the learner has followed without a break; empty when it does not
     * @param failure why it was given up; empty as long as it was not
     */
    public record State(Phase phase, Instant since, Optional<Instant> steadySince, Optional<String> failure) {
        public static State initial(Instant now) {
            return new State(Phase.ASKED, now, Optional.empty(), Optional.empty());
        }

        State moveTo(Phase next, Instant now) {
            return new State(next, now, Optional.empty(), failure);
        }

        State failing(Phase next, String why, Instant now) {
            return new State(next, now, Optional.empty(), Optional.of(why));
        }

        State withSteadySince(Optional<Instant> moment) {
            return new State(phase, since, moment, failure);
        }
    }

    /**
     * What is seen.
     *
     * @param request the node's latest request that was not refused or withdrawn; empty when it has made none
     * @param alarm what stands against a change; empty when nothing does
     * @param sameData whether the new member's data are the others'; asked in PROVING only
     * @param refusal why the last action came to nothing
     */
    public record Seen(
            Evidence<MembersSeen> members,
            Evidence<Optional<Request>> request,
            Evidence<Optional<String>> alarm,
            Evidence<Boolean> sameData,
            Optional<Problem> refusal) {}

    /**
     * A node's request for its certificate.
     *
     * @param granted ID of the member that the node may start; empty when it may start none yet
     */
    public record Request(String name, boolean isSigned, Optional<String> granted) {}

    /** What can be done. */
    public sealed interface Action {
        record Sign(String request) implements Action {}

        record AddLearner() implements Action {}

        /** @param member ID in hexadecimal, here and below */
        record Grant(String request, String member) implements Action {}

        record Promote(String member) implements Action {}

        /** @param why for the node */
        record Withdraw(String request, String why) implements Action {}

        record Remove(String member) implements Action {}
    }

    public NextStep<State, Action> decide(Seen seen, State state, Instant now) {
        if (state.phase() == Phase.DONE || state.phase() == Phase.FAILED) {
            return NextStep.end(state);
        }
        NextStep<State, Action> step = switch (seen.members()) {
            case Unknown<MembersSeen>(String why) -> NextStep.await(state, "an answer of etcd", ": " + why);
            case Known<MembersSeen>(MembersSeen members) ->
                switch (seen.request()) {
                    case Unknown<Optional<Request>>(String why) ->
                        NextStep.await(state, "the node's request", ": " + why);
                    case Known<Optional<Request>>(Optional<Request> request) ->
                        inPhase(members, request, seen, state, now);
                };
        };
        return orGiveUp(step.afterRefusal(seen.refusal()), state, now);
    }

    private NextStep<State, Action> inPhase(
            MembersSeen members, Optional<Request> request, Seen seen, State state, Instant now) {
        return switch (state.phase()) {
            case ASKED -> begin(members, request, seen.alarm(), state, now);
            case ADDING -> add(members, seen.alarm(), state, now);
            case JOINING -> join(members, request, state, now);
            case PROVING -> prove(members, request, seen.sameData(), state, now);
            case WITHDRAWING -> withdraw(members, request, state, now);
            case DONE, FAILED -> NextStep.end(state);
        };
    }

    private NextStep<State, Action> begin(
            MembersSeen members,
            Optional<Request> request,
            Evidence<Optional<String>> alarm,
            State state,
            Instant now) {
        Optional<ListedMember> voter = members.own().filter(own -> !own.isLearner());
        if (voter.isPresent()) {
            return voter.get().isCurrent()
                    ? NextStep.move(state.moveTo(Phase.PROVING, now))
                    : NextStep.await(
                            state,
                            "the node's member to follow the leader, as it votes already: if its data are lost, 'ouro etcd remove' takes it off the list");
        }
        // It has run, so that the node was let: its request may be gone by now.
        if (members.own().filter(ListedMember::isCurrent).isPresent()) {
            return NextStep.move(state.moveTo(Phase.JOINING, now));
        }
        Optional<NextStep<State, Action>> early = beforeTheLearner(members, alarm, state);
        if (early.isPresent()) {
            return early.get();
        }
        if (request.isPresent() && request.get().granted().isPresent()) {
            boolean isForThisOne =
                    members.own().map(ListedMember::id).equals(request.get().granted());
            return isForThisOne
                    ? NextStep.move(state.moveTo(Phase.JOINING, now))
                    : act(
                            state,
                            new Action.Withdraw(request.get().name(), "its member is not on etcd's list any more"),
                            "the request of before to be withdrawn");
        }
        if (members.own().isPresent()) {
            return act(state, new Action.Remove(members.own().get().id()), "the learner of before to be removed");
        }
        if (request.isEmpty()) {
            return NextStep.await(state, "node " + node + " to ask for its certificate: run 'ouro etcd join' there");
        }
        return request.get().isSigned()
                ? NextStep.move(state.moveTo(Phase.ADDING, now))
                : act(state, new Action.Sign(request.get().name()), "the certificate");
    }

    /** The list had none before, so that one that it has now was never started. */
    private static NextStep<State, Action> add(
            MembersSeen members, Evidence<Optional<String>> alarm, State state, Instant now) {
        return members.own().isPresent()
                ? NextStep.move(state.moveTo(Phase.JOINING, now))
                : beforeTheLearner(members, alarm, state)
                        .orElseGet(() -> act(state, new Action.AddLearner(), "the learner to be on the list"));
    }

    private static Optional<NextStep<State, Action>> beforeTheLearner(
            MembersSeen members, Evidence<Optional<String>> alarm, State state) {
        Optional<ListedMember> learner = members.otherLearner();
        if (learner.isPresent()) {
            return Optional.of(NextStep.await(
                    state,
                    "the end of another change of its members",
                    ": " + learner.get().title() + " is a learner; if nobody adds it any more: ouro etcd remove "
                            + learner.get().id()));
        }
        Optional<ListedMember> lagging = members.otherThatLags();
        if (lagging.isPresent()) {
            return Optional.of(NextStep.await(
                    state,
                    "all members to follow the leader",
                    ": " + lagging.get().title() + " does not"));
        }
        return switch (alarm) {
            case Unknown<Optional<String>>(String why) ->
                Optional.of(NextStep.await(state, "etcd's alarms", ": " + why));
            case Known<Optional<String>>(Optional<String> raised) ->
                raised.map(what -> NextStep.await(state, "etcd to have no alarm", ": " + what));
        };
    }

    private static NextStep<State, Action> join(
            MembersSeen members, Optional<Request> request, State state, Instant now) {
        if (members.own().isEmpty()) {
            return NextStep.move(state.failing(Phase.WITHDRAWING, "somebody else removed the learner", now));
        }
        ListedMember own = members.own().get();
        if (!own.isLearner()) {
            return NextStep.move(state.moveTo(Phase.PROVING, now));
        }
        if (!own.isCurrent()) {
            return let(own, request, state.withSteadySince(Optional.empty()), now);
        }
        Instant since = state.steadySince().orElse(now);
        State steady = state.withSteadySince(Optional.of(since));
        return Duration.between(since, now).compareTo(CONNECTED) < 0
                ? NextStep.await(steady, "the node's member to follow the leader for a while")
                : act(steady, new Action.Promote(own.id()), "the node's member to vote");
    }

    private static NextStep<State, Action> let(ListedMember own, Optional<Request> request, State state, Instant now) {
        if (request.isEmpty()) {
            return NextStep.move(state.failing(Phase.WITHDRAWING, "the node's request is gone, or was refused", now));
        }
        if (!request.get().isSigned()) {
            return NextStep.move(state.failing(Phase.WITHDRAWING, "the node has asked anew", now));
        }
        return request.get().granted().equals(Optional.of(own.id()))
                ? NextStep.await(state, "the node's member to run and to have the data")
                : act(state, new Action.Grant(request.get().name(), own.id()), "the node to start its member");
    }

    private static NextStep<State, Action> prove(
            MembersSeen members, Optional<Request> request, Evidence<Boolean> sameData, State state, Instant now) {
        if (members.own().isEmpty()) {
            return NextStep.move(state.failing(Phase.FAILED, "somebody else removed the member", now));
        }
        if (!members.own().get().isCurrent()) {
            return NextStep.await(state, "the node's member to follow the leader");
        }
        return switch (sameData) {
            case Unknown<Boolean>(String why) -> NextStep.await(state, "a comparison of its data", ": " + why);
            case Known<Boolean>(Boolean same) -> same ? done(request, state, now) : differing(state, now);
        };
    }

    /** A request that has done its part must not stand in the way of the next one of the node. */
    private static NextStep<State, Action> done(Optional<Request> request, State state, Instant now) {
        return request.map(open ->
                        act(state, new Action.Withdraw(open.name(), "its member votes"), "the request to be closed"))
                .orElseGet(() -> NextStep.move(state.moveTo(Phase.DONE, now)));
    }

    /** Hashes that are taken while one of the members compacts may differ once. */
    private static NextStep<State, Action> differing(State state, Instant now) {
        Instant since = state.steadySince().orElse(now);
        return Duration.between(since, now).compareTo(CONNECTED) >= 0
                ? NextStep.move(state.failing(Phase.FAILED, "its data differ from those of the others", now))
                : NextStep.await(state.withSteadySince(Optional.of(since)), "another comparison: its data differ");
    }

    /** The grant first: a node that has it might start the member that is about to go. */
    private static NextStep<State, Action> withdraw(
            MembersSeen members, Optional<Request> request, State state, Instant now) {
        Optional<ListedMember> own = members.own();
        if (own.filter(member -> !member.isLearner()).isPresent()) {
            return NextStep.move(new State(Phase.PROVING, now, Optional.empty(), Optional.empty()));
        }
        if (request.isPresent()) {
            return act(
                    state,
                    new Action.Withdraw(request.get().name(), state.failure().orElse("")),
                    "the grant to be withdrawn");
        }
        return own.map(learner -> act(state, new Action.Remove(learner.id()), "the learner to be removed"))
                .orElseGet(() -> NextStep.move(new State(Phase.FAILED, now, Optional.empty(), state.failure())));
    }

    private static NextStep<State, Action> act(State state, Action action, String awaited) {
        return NextStep.act(state, action).awaiting(awaited);
    }

    private NextStep<State, Action> orGiveUp(NextStep<State, Action> step, State state, Instant now) {
        boolean waits =
                step.state().phase() == state.phase() && !step.waitingFor().isEmpty();
        if (!waits || Duration.between(state.since(), now).compareTo(deadline) < 0) {
            return step;
        }
        String why = "after " + deadline.toSeconds() + " s it still waited for " + step.waitingFor() + step.detail();
        return switch (state.phase()) {
            case JOINING -> NextStep.move(state.failing(Phase.WITHDRAWING, why, now));
            case PROVING -> NextStep.move(state.failing(Phase.FAILED, why, now));
            // Nothing was begun, or it is being taken back: whoever drives it has a limit of its own.
            case ASKED, ADDING, WITHDRAWING, DONE, FAILED -> step;
        };
    }
}
