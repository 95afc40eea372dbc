package dev.ouroboros.etcd.decide;

import dev.ouroboros.etcd.decide.EtcdChangeSeen.Member;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Members;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Place;
import dev.ouroboros.etcd.decide.EtcdChangeSeen.Written;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.procedure.NextStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides what a change of an etcd of one member does next, so that no request of an API server fails. Pure: the same evidence and state give the same decision.
 *
 * <pre>
 * phase         does                                                        until                                              then
 * GROWING       Add, Start, Promote: the second door, then the third vote   three votes, all current                           CROSSING
 * CROSSING      MoveLeader to the second door                               it leads, and nobody would lose the first door     SWITCHING
 * SWITCHING     WriteTarget                                                 another pod runs, well and current                 RETURNING
 * ROLLING_BACK  WriteFormer                                                 the former pod runs, well and current              RETURNING
 * RETURNING     MoveLeader to the member that was changed                   it leads, and nobody would lose the second door    SHRINKING
 * SHRINKING     Remove, Stop, Discard: the third vote, then the other       nothing of them is left                            DONE, or FAILED
 * </pre>
 *
 * <p>GROWING and CROSSING go to RETURNING when the deadline is over, SWITCHING to ROLLING_BACK; from there on nothing is given up. What always holds:
 *
 * <ul>
 *   <li>The member that is changed is stopped only while it is one of three votes, the others follow the leader, that is another one, and as many connections lead to
 *       the second door as to the first.
 *   <li>A temporary member goes only when the member that was changed leads, and clients have as many connections to it.
 *   <li>Unknown waits. Data is discarded only of a member that is not on the list any more and whose container has ended.
 *   <li>Every step is seen by its effect, so that a change that was killed anywhere goes on with the same decisions.
 * </ul>
 */
public final class EtcdChange {
    private final Duration deadline;

    /** @param deadline for each of the phases that can be given up */
    public EtcdChange(Duration deadline) {
        this.deadline = deadline;
    }

    public NextStep<EtcdChangeState, EtcdChangeAction> decide(EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (state.phase().isFinal()) {
            return NextStep.end(state);
        }
        NextStep<EtcdChangeState, EtcdChangeAction> step = switch (seen.members()) {
            case Unknown<Members>(String why) -> NextStep.await(state, "an answer of etcd", ": " + why);
            case Known<Members>(Members members)
            when !members.strangers().isEmpty() ->
                NextStep.await(state, "the end of another change of its members", ": it has " + members.strangers());
            case Known<Members>(Members members) -> inPhase(members, seen, state, now);
        };
        return orGiveUp(retrying(seen.refusal(), step), state, now);
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> inPhase(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return switch (state.phase()) {
            case GROWING -> grow(members, seen, state, now);
            case CROSSING -> cross(members, seen, state, now);
            case SWITCHING -> exchange(members, seen, state, now);
            case ROLLING_BACK -> rollBack(members, seen, state, now);
            case RETURNING -> comeBack(members, seen, state, now);
            case SHRINKING -> shrink(members, seen, state, now);
            case DONE, FAILED -> NextStep.end(state);
        };
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> grow(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        for (TemporaryMember temporary : TemporaryMember.values()) {
            Optional<Member> member = members.of(temporary);
            Evidence<Boolean> manifest = place(seen, temporary).manifest();
            if (member.isEmpty()) {
                return isTrue(manifest)
                        // Left over: a member that is not on the list would end at once, and begin again.
                        ? NextStep.act(state, new EtcdChangeAction.Stop(temporary))
                        : isFalse(manifest)
                                ? addWhenEnded(seen, temporary, state)
                                : NextStep.await(state, "a look at its manifest", why(manifest));
            }
            if (!isTrue(manifest)) {
                return isFalse(manifest)
                        ? NextStep.act(state, new EtcdChangeAction.Start(temporary))
                        : NextStep.await(state, "a look at its manifest", why(manifest));
            }
            if (!member.get().isCurrent()) {
                return NextStep.await(state, "member " + temporary.id() + " to have the data");
            }
            if (member.get().isLearner()) {
                return NextStep.act(
                        state,
                        new EtcdChangeAction.Promote(temporary, member.get().id()));
            }
        }
        return members.isWhole()
                ? NextStep.move(state.moveTo(EtcdChangePhase.CROSSING, now))
                : NextStep.await(state, "all three members to follow the leader");
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> addWhenEnded(
            EtcdChangeSeen seen, TemporaryMember temporary, EtcdChangeState state) {
        Evidence<Boolean> runs = place(seen, temporary).runs();
        return isFalse(runs)
                ? NextStep.act(state, new EtcdChangeAction.Add(temporary))
                : NextStep.await(state, "the end of an earlier member " + temporary.id(), why(runs));
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> cross(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (!members.isWhole()) {
            return NextStep.await(state, "all three members to follow the leader");
        }
        if (!(seen.doors() instanceof Known<Doors>(Doors doors))) {
            return NextStep.await(state, "the clients of etcd", why(seen.doors()));
        }
        Optional<String> left = doors.leftAtFirst();
        if (left.isPresent()) {
            return NextStep.await(state, "every client of etcd to be connected to the second door", ": " + left.get());
        }
        if (!(seen.pod() instanceof Known<Optional<String>>(Optional<String> pod)) || pod.isEmpty()) {
            return NextStep.await(state, "a look at etcd's pod", why(seen.pod()));
        }
        // What leads is never stopped: an election takes a second, in which nothing is written.
        return members.principal().isLeader()
                ? NextStep.act(
                        state,
                        new EtcdChangeAction.MoveLeader(members.of(TemporaryMember.SECOND_DOOR)
                                .orElseThrow()
                                .id()))
                : NextStep.move(state.switching(pod.get(), now));
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> exchange(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return switch (seen.manifest()) {
            case Unknown<Written>(String reason) -> NextStep.await(state, "a look at etcd's manifest", ": " + reason);
            case Known<Written>(Written written)
            when written == Written.TARGET ->
                runsWell(members, seen, pod -> !pod.equals(state.formerPod()))
                        ? NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now))
                        : NextStep.await(state, "etcd to run as the new manifest says", why(seen.healthy()));
            // The power may have been away since: nothing is stopped on what was seen in another phase.
            case Known<Written> _
            when !members.isWhole()
                    || members.principal().isLeader()
                    || !seen.doors().is(doors -> doors.leftAtFirst().isEmpty()) ->
                NextStep.move(state.moveTo(EtcdChangePhase.CROSSING, now));
            case Known<Written> _ -> NextStep.act(state, new EtcdChangeAction.WriteTarget());
        };
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> rollBack(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        return switch (seen.manifest()) {
            case Unknown<Written>(String reason) -> NextStep.await(state, "a look at etcd's manifest", ": " + reason);
            case Known<Written>(Written written)
            when written == Written.FORMER ->
                runsWell(members, seen, pod -> pod.equals(state.formerPod()))
                        ? NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now))
                        : NextStep.await(state, "etcd to run as before", why(seen.healthy()));
            case Known<Written> _ -> NextStep.act(state, new EtcdChangeAction.WriteFormer());
        };
    }

    private static boolean runsWell(Members members, EtcdChangeSeen seen, Expected pod) {
        return seen.pod().is(runs -> runs.isPresent() && pod.matches(runs))
                && isTrue(seen.healthy())
                && members.principal().isCurrent();
    }

    /** Which pod is waited for. */
    private interface Expected {
        boolean matches(Optional<String> pod);
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> comeBack(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (!members.principal().isCurrent()) {
            return NextStep.await(state, "the member that was changed to follow the leader");
        }
        if (!(seen.doors() instanceof Known<Doors>(Doors doors))) {
            return NextStep.await(state, "the clients of etcd", why(seen.doors()));
        }
        Optional<String> left = doors.leftAtSecond();
        if (left.isPresent()) {
            return NextStep.await(state, "every client of etcd to be connected to the first door", ": " + left.get());
        }
        return members.principal().isLeader()
                ? NextStep.move(state.moveTo(EtcdChangePhase.SHRINKING, now))
                : NextStep.act(
                        state,
                        new EtcdChangeAction.MoveLeader(members.principal().id()));
    }

    private static NextStep<EtcdChangeState, EtcdChangeAction> shrink(
            Members members, EtcdChangeSeen seen, EtcdChangeState state, Instant now) {
        if (!members.temporary().isEmpty() && !members.principal().isLeader()) {
            return NextStep.move(state.moveTo(EtcdChangePhase.RETURNING, now));
        }
        for (TemporaryMember temporary : List.of(TemporaryMember.THIRD_VOTE, TemporaryMember.SECOND_DOOR)) {
            Optional<Member> member = members.of(temporary);
            if (member.isPresent()) {
                return NextStep.act(
                        state,
                        new EtcdChangeAction.Remove(temporary, member.get().id()));
            }
            Place place = place(seen, temporary);
            if (!isFalse(place.manifest())) {
                return isTrue(place.manifest())
                        ? NextStep.act(state, new EtcdChangeAction.Stop(temporary))
                        : NextStep.await(state, "a look at its manifest", why(place.manifest()));
            }
            if (!isFalse(place.runs())) {
                return NextStep.await(state, "the end of member " + temporary.id(), why(place.runs()));
            }
            if (!isFalse(place.data())) {
                return isTrue(place.data())
                        ? NextStep.act(state, new EtcdChangeAction.Discard(temporary))
                        : NextStep.await(state, "a look at its data", why(place.data()));
            }
        }
        return NextStep.move(
                state.moveTo(state.failure().isPresent() ? EtcdChangePhase.FAILED : EtcdChangePhase.DONE, now));
    }

    private static Place place(EtcdChangeSeen seen, TemporaryMember member) {
        return Optional.ofNullable(seen.places().get(member))
                .orElseThrow(() -> new IllegalArgumentException("nobody looked at " + member));
    }

    /** What was refused is tried again, and said: etcd refuses to change its members for some seconds after each change of them. */
    private static NextStep<EtcdChangeState, EtcdChangeAction> retrying(
            Optional<Problem> refusal, NextStep<EtcdChangeState, EtcdChangeAction> step) {
        return refusal.filter(_ -> step.action().isPresent())
                .map(problem -> new NextStep<>(
                        step.state(), step.action(), "another try", ": " + problem.describe(), step.ended()))
                .orElse(step);
    }

    private NextStep<EtcdChangeState, EtcdChangeAction> orGiveUp(
            NextStep<EtcdChangeState, EtcdChangeAction> step, EtcdChangeState state, Instant now) {
        boolean waits =
                step.state().phase() == state.phase() && !step.waitingFor().isEmpty();
        if (!waits || Duration.between(state.since(), now).compareTo(deadline) < 0) {
            return step;
        }
        String why = "after " + deadline.toSeconds() + " s it still waited for " + step.waitingFor() + step.detail();
        return switch (state.phase()) {
            case GROWING, CROSSING -> NextStep.move(state.givingUp(EtcdChangePhase.RETURNING, why, now));
            case SWITCHING -> NextStep.move(state.givingUp(EtcdChangePhase.ROLLING_BACK, why, now));
            case ROLLING_BACK, RETURNING, SHRINKING, DONE, FAILED -> step;
        };
    }

    private static boolean isTrue(Evidence<Boolean> evidence) {
        return evidence.is(value -> value);
    }

    private static boolean isFalse(Evidence<Boolean> evidence) {
        return evidence.is(value -> !value);
    }

    private static String why(Evidence<?> evidence) {
        return evidence instanceof Unknown<?>(String reason) ? ": " + reason : "";
    }
}
